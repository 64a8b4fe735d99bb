//! Commands with a secret at a fixed position: `net use \\h\s X`, `AUTH X`.

use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::super::ascii::ascii_regex;

/// Programs that read a secret from their input.
macro_rules! readers {
    () => {
        r"(?:-stdin|sudo\s+-\S*S|chpasswd|newusers|smbpasswd|\b(?:base64|openssl|gpg|age|argon2|mkpasswd|kubeseal|sops|secret-tool|systemd-creds|cryptsetup|kinit|pdbedit|vncpasswd|gopass|keepassxc-cli|veracrypt|ecryptfs-\w+|borg|restic|lpass)\b|\bpass\s+insert\b|\b(?:create|set|add|put)\s+secrets?\b|\bsecrets?\s+(?:create|set|add|put|versions)\b|\bkv\s+put\b)"
    };
}

/// Words of which at least one is in every text with the command, in any case, and the pattern of the command. Compiling a
/// pattern costs more than matching it, so it waits for a text with its word.
const COMMANDS: &[(&[&str], &str)] = &[
    (&[r"\\"], r"(?i)\bnet\s+use\s+(?:\w:\s+)?\\\\\S+\s+([^\s/]\S*)"),
    (&["/user:"], r"(?i)\bnet\s+use\s[^\n|&]*?/user:\S+\s+([^\s/]\S*)"),
    (&["net"], r"(?i)\bnet\s+user\s+[^\s/]+\s+([^\s/]\S*)"),
    (&["securestring"], r"(?i)\bConvertTo-SecureString\s+(?:-String\s+)?([^\s-]\S*)"),
    (
        &["pw", "requirepass", "masterauth"],
        r"(?i)\b(?:bindpw|rootpw|rootbindpw|binddn_pw|requirepass|masterauth|olcRootPW)\s+(\S+)",
    ),
    // SMTP, IMAP, POP3, Redis.
    (&["auth"], r"\bAUTH\s+(?:PLAIN|LOGIN|XOAUTH2|OAUTHBEARER|CRAM-MD5)\s+([A-Za-z0-9+/=]{6,})"),
    (&["auth"], r#"(?m)\bAUTH(?:[ \t]+[\w.@-]+)?[ \t]+([^\s:"']+)["']?[ \t]*(?:$|\r|\\r|\\n)"#),
    (&["ugfzc3dvcmq6"], r"334 UGFzc3dvcmQ6\s+(?:>\s*|C:\s*)?(\S+)"),
    (&["pass"], r#"(?m)(?:^|["'])(?:>|C:|\s|\d+:)*PASS\s+([^\s/:"']+)["']?\s*$"#),
    (&["login"], r"\b[A-Za-z]?\d+\s+LOGIN\s+\S+\s+(\S+)"),
    (&[">", "#"], r#"\b(?:SETUSER|setuser|user)["']?\s+\S+\s+(?:\S+\s+){0,8}?["']?[>#]([^\s>"'][^\s"']*)"#),
    (&["auth-pass"], r"\bauth-pass\s+\S+\s+(\S+)"),
    (&["rabbitmqctl"], r"\brabbitmqctl\s+(?:-\S+\s+)*(?:add_user|change_password|authenticate_user)\s+\S+\s+(\S+)"),
    (&["htpasswd"], r"\bhtpasswd\s+(?:-\S+\s+|\d+\s+)*?-\w*n\w*\s+(?:-\S+\s+|\d+\s+)*[^\s-]\S*\s+([^\s-]\S*)"),
    (
        &["passwd"],
        r"\b(?:ht|mosquitto_)passwd\s+(?:-\S+\s+|\d+\s+)*?-\w*b\w*\s+(?:-\S+\s+|\d+\s+)*[^\s-]\S*\s+[^\s-]\S*\s+([^\s-]\S*)",
    ),
    (&["vault", "bao"], r#"\b(?:vault|bao)\s+login\s+([^\s=-][^\s=]{5,})(?:[\s"']|$)"#),
    (&["unseal"], r#"\bunseal\s+([A-Za-z0-9+/]{8,}=*)(?:[\s"':;,.)]|$)"#),
    (&["unseal key", "recovery key"], r"(?i)\b(?:unseal|recovery) key(?: \d+)?:\s*(\S+)"),
    (&["@"], r"(?i)\b(?:sqlplus|impdp|expdp|imp|exp|rman|sqlldr|sqlcl|tnsping)\b[^\n|;&]*?[\s=][\w$#]+/([^@\s/]+)@"),
    (&["ora-", "tns-", "sp2-"], r#"(?i)\b(?:ORA|TNS|SP2)-\d{4,5}\b[^\n]*?[\s"'(=][a-z][\w$#]*/([^\s"'`@/]+)@[a-z]"#),
    (&["echo"], concat!(r#"\becho\s+(?:-\w+\s+)*("[^"]+"|'[^']+'|\S+)\s*\|[^|\n]*"#, readers!())),
    (
        &["printf"],
        concat!(
            r#"\bprintf\s+(?:--\s+)?(?:(?:"[^"\n]*%[^"\n]*"|'[^'\n]*%[^'\n]*'|%s\S*)\s+(?:[\w.@-]+\s+)??)?("[^"]+"|'[^']+'|[^\s"']+)\s*\|[^|\n]*"#,
            readers!()
        ),
    ),
    (&["<<<"], r#"-stdin\b[^|\n]*<<<\s*("[^"]+"|'[^']+'|\S+)"#),
    (&["snmp"], r"\bsnmp\w+\b[^\n|;&]*?\s-A\s*(\S+)"),
    (&["snmp"], r"\bsnmp\w+\b[^\n|;&]*?\s-X\s*(\S+)"),
    (&["snmp"], r"\bsnmp\w+\b[^\n|;&]*?\s-c\s*(\S+)"),
    (&["snmp-server"], r"\bsnmp-server\s+community\s+(\S+)"),
    (
        &["enable", "shared", "radius", "username"],
        r"\b(?:enable|shared|radius|username \S+(?:\s+(?:privilege|role)\s+\S+)*)\s+(?:secret|password|key)\s+(?:\d\s+)?([^\s:=]+)\s*(?:$|\n|;)",
    ),
    (&[":_", "_auth"], r#":_(?:authToken|auth|password)\s+(\S+)|\bset\s+_auth\s+(\S+)"#),
    (&["--from-literal"], r#"--from-literal[=\s]["']?[\w.-]+=("[^"]+"|'[^']+'|[^\s"']+)"#),
    (&["curl"], r"\bcurl\b[^\n|;&]*?\s-u\w[^\s:]*:(\S+)"),
    (
        &["curl", "http", "xh"],
        r"\b(?:curl|https?|xh)\b[^\n|;&]*?\s(?:-E|--cert|-a|--auth|--proxy-cert)\s+[^\s:]+:(\S+)",
    ),
    (&["curl"], r#"\bcurl\b[^\n|;&]*?\s(?:-b|--cookie)[\s=]+["']?[\w.-]+=([^\s"';]+)"#),
    (&["useradd", "usermod"], r"\b(?:useradd|usermod)\b[^\n|;&]*?\s-p\s+(\S+)"),
    (&["openssl"], r"\bopenssl\s+\w+\b[^\n|;&]*?\s-(?:k|K|hmac)\s+(\S+)"),
    (&["signtool"], r"\bsigntool\b[^\n|;&]*?\s/p\s+(\S+)"),
    (&["zip", "mosquitto"], r"\b(?:(?:un)?zip|mosquitto_\w+)\b[^\n|;&]*?\s-P\s*(\S+)"),
    (&["docker", "podman", "nerdctl"], r"\b(?:docker|podman|nerdctl)\s+login\b[^\n|;&]*?\s-p([^\s-]\S+)"),
    (&["ldap"], r"\bldap\w+\b[^\n|;&]*?\s-w([^\s-]\S+)"),
    (&["tsig"], r"\bTSIG\s+[\w-]+:[\w.-]+:(\S+)"),
    (&["identified"], r#"(?i)\bIDENTIFIED\s+(?:WITH\s+\S+\s+)?BY\s+([^\s"'`;]+)"#),
    (&["password"], r#"(?i)\bSET\s+PASSWORD\s+(?:FOR\s+\S+\s*)?=\s*(?:PASSWORD\s*\(\s*)?("[^"]+"|'[^']+')"#),
    (&["ssh-keygen"], r#"\bssh-keygen\b[^\n|;&]*?\s-[NP]\s+("[^"]+"|'[^']+'|\S+)"#),
    (
        &["<<<"],
        concat!(
            r"(?:\b(?:login|passwd|secrets?|vault|\w*password)\b|",
            readers!(),
            r#")[^\n|]*<<<\s*("[^"]+"|'[^']+'|\S+)"#
        ),
    ),
    // What a program reads from a file, from another one: `docker secret create x <(echo X)`.
    (
        &["<("],
        r#"(?i)(?:secret|passw|passphrase|pass\b|key|token|credential)[^\n]*?<\(\s*(?:echo|printf)\s+(?:-\w+\s+|['"]?%s\S*\s+)*("[^"]+"|'[^']+'|[^\s)]+)"#,
    ),
    (&["[client]"], r#"\[client\]\S*?%s["']?\s+("[^"]+"|'[^']+'|[^\s)]+)"#),
    // A hash or a password with its scheme in front, as in files of Dovecot; a user and a password for `mount.cifs`.
    (&["encrypt_string"], r"\bencrypt_string\s+(?:--?\S+\s+)*([^\s-]\S*)"),
    (&["{"], r"\{(?:PLAIN|CLEAR(?:TEXT)?|CRYPT|S?SHA\d*|S?MD5|(?:SHA\d*-|MD5-|BLF-)CRYPT)\}([^\s{}:'\x22]{4,})"),
    (&["user"], r"\buser(?:name)?=[^\s,%=&]+%([^\s,&%]{4,})"),
    (
        &["tsql", "osql", "beeline", "security"],
        r"\b(?:(?:[to]sql|beeline)\b[^\n|;&]*?\s-[pP]|security\s+\w+-[\w-]*(?:password|keychain)[^\n|;&]*?\s-[wp])\s+([^\s-]\S*)",
    ),
    (&["/rp"], r"(?i)\bschtasks\b[^\n|;&]*?\s/rp[\s:]+([^\s/]\S*)"),
    (
        &["http-basic", "pypi-token", "-oauth", "gitlab-token", "bearer"],
        r"\bconfig\s+(?:-\S+\s+)*(?:http-basic\.\S+\s+\S+|(?:pypi-token|\w+-oauth|gitlab-token|bearer)\.\S+)\s+([^\s-]\S*)",
    ),
    (
        &["wandb login", "snyk auth", "railway login"],
        r"\b(?:wandb\s+login|snyk\s+auth|railway\s+login)\s+(?:-\S+\s+)*([^\s|;&-][^\s|;&]{3,})\s*(?:$|\n|[|;&])",
    ),
    (&["ftp"], r#"(?s)\bl?ftp\b.{0,200}?(?:[\s"']|\\n)user\s+[^\s"']+\s+([^\s"'\\]{4,})\s*(?:["'\\\n]|$)"#),
    (&["send"], r#"(?i)passw[^\n]{0,80}?\bsend\s+(?:--\s+)?\\*"([^"\\]{4,})"#),
    (
        &["user", "role", "login"],
        r#"(?i)\b(?:CREATE|ALTER)\s+(?:USER|ROLE|LOGIN)\b[^\n;:]*?\sPASSWORD\s*=?\s*([^\s;'",=(){}]{4,})"#,
    ),
    (&["community"], r"\br[ow]community6?\s+([^\s:=]+)"),
    (&["isql"], r"\bisql\s+(?:-\S+\s+)*[^\s-]\S*\s+[^\s-]\S*\s+([^\s-]\S*)"),
    (&["freerdp"], r"\bx?freerdp\d?\b[^\n|;&]*?\s/p:(\S+)"),
    // Programs whose first argument is a password, to be hashed or sent.
    (
        &["mkpasswd", "openssl", "obscure", "cargo", "bw", "hash-password"],
        r"\b(?:mkpasswd|openssl\s+passwd|rclone\s+obscure|cargo\s+login|bw\s+(?:unlock|login\s+\S+)|hash-password)\s+(?:-\w\s+[\w-]+\s+|-\S+\s+)*([^\s|;&-][^\s|;&]{3,})\s*(?:$|\n|[|;&])",
    ),
    (&["kadmin"], r"\bkadmin\b[^\n|;&]*?\s-w\s+(\S+)"),
    (&["qpdf"], r"\bqpdf\b[^\n|;&]*?\s--encrypt\s+([^\s-]\S*)"),
    (&["qpdf"], r"\bqpdf\b[^\n|;&]*?\s--encrypt\s+\S+\s+([^\s-]\S*)"),
    (&["wpa_passphrase"], r"\bwpa_passphrase\s+\S+\s+(\S+)"),
    // `reset-admin-password X`, `user setpassword u X`, `user create u X`
    (&["password"], r"\b(?:re)?set-?\w*-password\s+(?:-\S+\s+)*([^\s-][^\s:]{3,})\s*(?:$|\n|[|;&])"),
    (&["samba-tool"], r"\bsamba-tool\s+user\s+(?:create|add)\s+\S+\s+([^\s-]\S*)"),
    (&["admin user add", "admin user svcacct"], r"\badmin\s+user\s+(?:svcacct\s+)?add\s+\S+\s+\S+\s+([^\s-]\S*)"),
    (&["addauth"], r"\baddauth\s+digest\s+[^\s:]+:(\S+)"),
    (
        &["doctl", "nuget", "swift"],
        r"\b(?:doctl\b[^\n|;&]*?\s-t|nuget\s+push\b[^\n|;&]*?\s-k|swift\b[^\n|;&]*?\s-K)\s+(\S+)",
    ),
    // The protocol of Redis, with the length before each word.
    (
        &["auth"],
        r"\bAUTH(?:\\r\\n|\r\n)(?:\$\d+(?:\\r\\n|\r\n)[^\s\\$]+(?:\\r\\n|\r\n))??\$\d+(?:\\r\\n|\r\n)([^\s\\$]+)(?:\\r\\n|\r\n|$)",
    ),
    // A value that a validation of a named field quotes at its end: `expected length of password to be …, got X`.
    (
        &["pass", "secret", "token", "key"],
        r#"(?i)\b[\w.-]*(?:passwords?|passwd|passphrase|secret[_-]?key|api[_-]?key|(?:[\w-]+[_-])(?:token|secret))["'`)]*:?\s[^\n:="'`]{0,80}?[,.:]\s(?:but\s+)?(?:got|given|received|found|was)\b:?\s+["'`]?([^\s"'`,;()]{4,})["'`]?\s*(?:$|\n)"#,
    ),
    // The same with the value in quotes behind a field in quotes: `(last key "db.password"): expected value but found 'X'`.
    (
        &["pass", "secret", "token", "key"],
        r#"(?i)["'`][\w.-]*(?:passwords?|passwd|passphrase|secret[_-]?key|api[_-]?key|(?:[\w-]+[_-])?token|(?:[\w-]+[_-])secret)["'`]\)?:?\s+(?:to\s+(?:be|equal)|expected\s[^\n"'`]{0,40}?(?:found|got))\s+["'`]([^\s"'`]{4,})["'`]"#,
    ),
    (&["ftp"], r"\b(?:l|nc)?ftp\b[^\n|;&]*?\s-u\s*[^\s,]+,(\S+)"),
    // Short flags with the password attached.
    (&["http", "xh", "wget"], r"\b(?:https?|xh|wget)\b[^\n|;&]*?\s-[au][A-Za-z][^\s:=]*:([^\s/]\S*)"),
    (&["rar", "7za", "7zr", "7zz"], r"\b(?:(?:un)?rar|7z[arz])\b[^\n|;&]*?\s-h?p([^\s-]\S*)"),
    (&["mongo", "ncftp", "rdesktop"], r"\b(?:mongo\w*|ncftp\w*|rdesktop)\b[^\n|;&]*?\s-p([^\s=-][^\s=]*)(?:\s|$)"),
    (&["redis-cli"], r"\bredis-cli\b[^\n|;&]*?\s-a([^\s-][^\s=]*)"),
    (&["smbclient", "rpcclient", "winexe"], r"\b(?:smbclient|rpcclient|winexe)\b[^\n|;&]*?\s-U[^\s%]+%(\S+)"),
    (&["ipmitool"], r"\bipmitool\b[^\n|;&]*?\s-P(\S+)"),
    (&["cf auth"], r"\bcf\s+auth\s+\S+\s+([^\s-]\S*)"),
    (
        &["restic", "pg_dump", "pg_restore"],
        r"\b(?:restic\b[^\n|;&]*?\s-p|pg_(?:dump|restore)\b[^\n|;&]*?\s-W)\s+([^\s/.-][^\s/]*)",
    ),
    // Lines of users and passwords for `chpasswd`; further lines are found elsewhere.
    (&["chpasswd", "newusers"], r#"\b(?:chpasswd|newusers)\b[^\n]*?<<<\s*["']?[\w.-]+:([^\s:"']+)"#),
    (
        &["chpasswd", "newusers"],
        r#"(?:^|[\s"'])[\w.-]+:([^\s:"'\\|]+)\S*["']?(?:\s+[\w.-]+:[^\s:"'|]+)*\s*\|[^|\n]*\b(?:chpasswd|newusers)\b"#,
    ),
    (&["alias", "host"], r"\bmc\s+(?:alias\s+set|config\s+host\s+add)\s+\S+\s+\S+\s+\S+\s+(\S+)"),
    // `gh secret set NAME VALUE`, and the same with a flag before or after the name.
    (
        &["secret"],
        r#"(?i)\bsecrets?\s+(?:set|put|create|add|update)\b[^\n|;&]*?\s(?-i:[A-Z_])\w*[=\s]+("[^"]+"|'[^']+'|[^\s"'-][^\s"']*)"#,
    ),
    (
        &["-b", "--body", "--value", "--string-value", "--secret-", "--plain", "--payload"],
        r#"(?i)(?:secret|credential|password|token)[^\n|;&]*?\s(?:-b|--body|--value|--string-value|--secret-value|--secret-string|--plain-?text|--payload)(?:\s*=\s*|\s+)("[^"]+"|'[^']+'|[^\s"'-][^\s"']*)"#,
    ),
    // `login failed with 'X' as password`, `password mismatch: got X, want Y`
    (&["pass"], r#"(?i)("[^"\s]+"|'[^'\s]+')\s+as\s+(?:the\s+|a\s+|its\s+)?(?:password|passphrase|passcode)\b"#),
    (
        &["match"],
        r#"(?i)\b(?:passwords?|passphrase|passcode|tokens?|secrets?)\s+(?:mismatch|do(?:es)?\s+not\s+match|don't\s+match)[:,]?\s+(?:got|have|expected|want)\s+("[^"]+"|'[^']+'|[^\s"',;]+)"#,
    ),
    (
        &["match"],
        r#"(?i)\b(?:passwords?|passphrase|passcode|tokens?|secrets?)\s+(?:mismatch|do(?:es)?\s+not\s+match|don't\s+match)[:,]?\s+(?:got|have|expected|want)\s+\S+\s+(?:but\s+)?(?:got|have|expected|want)\s+("[^"]+"|'[^']+'|[^\s"',;]+)"#,
    ),
    (&["vault", "bao"], r#"\b(?:vault|bao)\s+kv\s+(?:put|patch)\s+(?:-\S+\s+)*[\w/.-]+\s+([\w.-]+=[^\n|;&]+)"#),
    (&["securestring"], r#"--value[=\s]("[^"]+"|'[^']+'|[^\s"'-][^\s"']*)[^\n|;&]*?\bSecureString\b"#),
    (&["securestring"], r#"\bSecureString\b[^\n|;&]*?--value[=\s]("[^"]+"|'[^']+'|[^\s"']+)"#),
    (&["patch"], r#"\bpatch\s+secrets?\b[^\n]*?\\*"data\\*"\s*:\s*\{\s*\\*"[^"]*"\s*:\s*("[^"]+")"#),
    // Redis quotes the words of a command that it refuses: `'AUTH', with args beginning with: 'default' 'X'`. The last of
    // two words is the password.
    (
        &["auth"],
        r#"\bAUTH2?\\*["'`]?(?:,?\s*(?:with args beginning with:|args["']?:))?[\s,:\[]*\\*["'`](?:[^"'`\s\\]+\\*["'`][\s,]+\\*["'`])?([^"'`\s\\]+)\\*["'`]"#,
    ),
    (
        &["auth"],
        r#"(?i)\bname["']?:\s*["']auth["'],\s*["']?args["']?:\s*\[\s*["'](?:[^"'\s]+["'],\s*["'])?([^"'\s]+)["']"#,
    ),
    (&["hello"], r"(?i)\bHELLO\s+\d\s+AUTH\s+\S+\s+([^\s:]+)"),
    (&["auth"], r"\(AUTH\s+(?:[\w.@-]+\s+)?([^\s()]+)\)"),
    (&["requirepass", "masterauth"], r#"\b(?:requirepass|masterauth)\\*["'][\s,]+\\*["']([^\s"'\\]+)"#),
    (&["nsupdate", "dig ", "rndc"], r"\b(?:nsupdate|dig|rndc)\b[^\n|;&]*?\s-y\s+(?:[\w-]+:)?[^\s:]+:(\S+)"),
    (&["authtoken"], r"(?i)\bauthtoken\s+(?:-\S+\s+)*([A-Za-z0-9_-]{8,})\b"),
    (&["user"], r"\buser\s+(?:add|create)\s+(?:-\S+\s+)*[^\s:-][^\s:]*:([^\s:]+)"),
    (&["pass"], r#"\bUSER\s+\S+[,;]?\s+PASS\s+([^\s:,;"']+)"#),
    // Settings of servers, in which the place of a value marks it.
    (&["pass"], r"(?m)(?:^|:\s)PASS\s+(?:oauth:)?([^\s:]+)(?::\s\d{3}\b|\s*$)"),
    (&["insecure-password"], r"\binsecure-password\s+([^\s:]+)"),
    // Configurations of routers, switches, and agents.
    (
        &["neighbor", "authentication", "plain-text", "pre-shared"],
        r#"(?i)\b(?:neighbor\s+\S+\s+password|(?:standby|vrrp|glbp)\s+\d+\s+authentication|plain-text-password-value|pre-shared-key\s+(?:ascii-text|hexadecimal|local|remote))\s+(?:text\s+|md5\s+key-string\s+)?(?:\d\s+)?\\*["']?([^\s:=;"'\\]{4,})"#,
    ),
    (
        &["snmp-server user", "createuser"],
        r#"(?i)\b(?:snmp-server\s+user|createUser)\b[^\n]*?\s(?:auth\s+)?(?:md5|sha)\S*\s+\\*["']?([^\s"'\\]{4,})"#,
    ),
    (
        &["snmp-server user", "createuser"],
        r#"(?i)\b(?:snmp-server\s+user|createUser)\b[^\n]*?\s(?:priv\s+)?(?:3?des|aes)\S*\s+(?:\d+\s+)?\\*["']?([^\s"'\\]{4,})"#,
    ),
    (
        &["nmcli", "iwconfig"],
        r#"\b(?:nmcli\b[^\n|;&]*?\s(?:password|[\w.-]*\.psk|wep-key\d?)|iwconfig\b[^\n|;&]*?\s(?:key|enc))\s+(?:s:)?\\*["']?([^\s"'\\-][^\s"'\\]{3,})"#,
    ),
    (&["stats"], r"\bstats\s+auth\s+[^\s:]+:(\S+)"),
    (&["psk", "xauth", "eap"], r#":\s*(?:PSK|XAUTH|EAP)\s+(?:\\*["']([^"'\\]+)|([^\s"'\\]{8,})\s*(?:$|\n|["'\\]))"#),
    (
        &["tacacs", "radius", "key-string", "isakmp", "md5", "wpa-psk", "server-private"],
        r"(?i)\b(?:(?:tacacs|radius)[\w-]*(?:\s+(?:host|server)\s+\S+|\s+server-private\s+\S+)?\s+key|server-private\s+\S+\s+key|key-string|isakmp\s+key|(?:authentication|message-digest)-key\s+\d+\s+md5|wpa-psk\s+(?:ascii|hex))\s+(?:\d\s+)?([^\s:=;]+)",
    ),
    (&["\""], r#"(?m)(?:^|: ["'])\s*\\*"[\w.@-]+\\*"\s+\\*"([^"\s\\]{4,})\\*"(?:\s+\\*"[^"\n]*")?["']?\s*$"#),
    (&["]:"], r"\[[\w.-]+\]:\d+\s+[^\s:]+:(\S+)"),
    (&["@"], r#"(?m)(?:^|: ["'])\s*\[?[\w-]+(?:\.[\w-]+)+\]?(?::\d+)?\s+[\w.+-]+@[\w.-]+:([^\s:"']{4,})["']?\s*$"#),
    (&["bundle"], r#"(?i)\bBUNDLE_\w+__\w+["']?\s*[:=]\s*["']?(?:[\w.@+-]+:)?([^\s"'/:]{4,})"#),
    (&["bundle"], r"\bbundle\s+config\s+(?:set\s+)?(?:-\S+\s+)*[\w-]+(?:\.[\w-]+)+\s+[\w.@+-]+:([^\s/:]{4,})"),
    (&["kty"], r#"\\*"kty\\*"[^{}\n]*?\\*"[kd]\\*"\s*:\s*\\*"([\w-]{8,})"#),
    (&["kty"], r#"\\*"[kd]\\*"\s*:\s*\\*"([\w-]{8,})\\*"[^{}\n]*?\\*"kty\\*""#),
    (&["keys_base64"], r#"\\*"keys\\*"\s*:\s*\[\s*(\\*"[^\]\n]+)\]"#),
    (&["keys_base64"], r#"\\*"keys_base64\\*"\s*:\s*\[\s*(\\*"[^\]\n]+)\]"#),
    (&["secret"], r#"\b(?:SECRET|(?:SESSION|BEARER|REFRESH)_TOKEN|CONNECTION_STRING)\s+\\*["']([^"'\s\\]{4,})\\*["']"#),
    (&["using"], r#"(?i)\b(?:connect|attach)\s+to\s+\S+\s+user\s+\S+\s+using\s+["']?([^\s"';]+)"#),
    (
        &["authorization"],
        r#"(?i)\bauthorization(?:\s+(?:header|value|string))*[\s:]+\\*["'`]((?:[a-z]+\s)?[^"'`\s\\]{8,})\\*["'`]"#,
    ),
    // Webhooks whose path is the credential.
    (&["/open-apis/"], r"(?-u)/open-apis/bot/v\d/hook/([\w-]+)"),
    (&["/hooks/"], r"(?-u)/hooks/(?:\w{6,}/)?([a-z0-9]{16,})\b"),
    (&["/with/key/"], r"(?-u)/with/key/([\w-]+)"),
];
static COMPILED: [OnceLock<Option<Regex>>; COMMANDS.len()] = [const { OnceLock::new() }; COMMANDS.len()];
/// The words of [`COMMANDS`].
static WORDS: LazyLock<Option<CommandWords>> = LazyLock::new(CommandWords::build);

struct CommandWords {
    automaton: AhoCorasick,
    /// The commands of each word, as bits.
    commands: Vec<u128>,
}

impl CommandWords {
    fn build() -> Option<Self> {
        let words: BTreeSet<&str> = COMMANDS.iter().flat_map(|(words, _)| words.iter().copied()).collect();
        let bits = |word: &&str| -> u128 {
            let is_of = |(index, (words, _)): (usize, &(&[&str], &str))| u128::from(words.contains(word)) << index;
            COMMANDS.iter().enumerate().map(is_of).sum()
        };
        let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(&words).ok()?;
        Some(Self { automaton, commands: words.iter().map(bits).collect() })
    }
}

/// The commands that a text may contain, as bits.
#[derive(Clone, Copy)]
pub(super) struct CommandClues(u128);

impl CommandClues {
    /// Returns clues to every command.
    pub(super) const ALL: Self = Self(u128::MAX);
    /// Returns clues to no command.
    pub(super) const NONE: Self = Self(0);

    pub(super) fn read(text: &str) -> Self {
        let Some(words) = WORDS.as_ref() else { return Self::ALL };
        let found = words.automaton.find_overlapping_iter(text);
        Self(found.fold(0, |bits, word| bits | words.commands[word.pattern().as_usize()]))
    }

    /// Returns true if a program may be mentioned that reads lines of users and passwords.
    pub(super) fn reads_users(self) -> bool {
        static READERS: LazyLock<u128> = LazyLock::new(|| {
            let reads = |words: &[&str]| words.iter().any(|word| ["passwd", "newusers"].contains(word));
            let all = COMMANDS.iter().enumerate().filter(|(_, (words, _))| reads(words));
            all.map(|(index, _)| 1_u128 << index).sum()
        });
        self.0 & *READERS != 0
    }

    /// Returns the patterns of the commands.
    pub(super) fn patterns(self) -> impl Iterator<Item = &'static Regex> {
        let mentioned = COMMANDS.iter().zip(&COMPILED).enumerate().filter(move |(index, _)| self.0 >> index & 1 == 1);
        mentioned
            .filter_map(|(_, ((_, pattern), compiled))| compiled.get_or_init(|| ascii_regex(pattern).ok()).as_ref())
    }
}

#[cfg(test)]
#[test]
fn every_pattern_compiles() {
    assert_eq!(CommandClues::ALL.patterns().count(), COMMANDS.len());
    assert!(WORDS.is_some() && COMMANDS.len() <= 128);
}
