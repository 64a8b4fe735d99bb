//! Values in phrases and pairs that are not settings: `set the password to X`, `wrong password (X)`, `env DB_PASSWORD has
//! value X`, `('password', 'X')`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::{is_secret_name, may_name_secret};
use super::super::ordinary::{SecretOrigin, ValueShape, shape};
use super::value::{is_identifier, is_masked, is_opaque};
use super::words::is_prose;

/// A word that every such phrase contains.
static MENTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex("(?i-u:pass|secret|token|key|pwd|cred|logged in|unmarshal|value|digest|AKIA|ASIA|port|input)").ok()
});
/// Patterns whose groups are values, if they are not words of the sentence.
static VALUES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let password = r"(?:pass(?:word|wd|phrase|code)|pwd)";
    let secret = r"(?:(?:webhook|shared|client|api|signing|consumer)[ _-]secret|secret value|token value|(?:api|access|hmac|signing|encryption|license)[ _-]key)";
    let patterns = [
        format!(r#"\b(?:{password}|{secret}|pre-?shared key|(?:access|auth|bearer) token)(?:\s+you\s+\w+)?\s*[(\[<]\s*['"]?([^\s()\[\]<>'"]{{4,}})['"]?\s*[)\]>]"#),
        // `password – X`, `password called X`, at the end of a clause.
        format!(
            r#"\b(?:{password}|shared secret)(?:\s+[-–—→]|,?\s+(?:reads|became|namely|i\.e\.|aka|called|named|known as|being|(?:turned|turns) out to be|happen(?:s|ed) to be))\s+["'`]?([^\s"'`,;:()\[\]<>]{{4,}}?)(?:["'`,;)]|[.!]?\s*$|[.!]\s)"#
        ),
        // `password attempt: X`, `ask for the password, it is X`.
        format!(
            r#"\b{password}(?:\s+(?:attempt|guess|candidate)\s*:|[,;:]\s+(?:it|which)(?:\s+(?:is|was)|'s))\s+["'`]?([^\s"'`,;:()\[\]<>]{{4,}}?)(?:["'`,;)]|[.!]?\s*$|[.!]\s)"#
        ),
        // `the password, X, was leaked`: a list of names has no verb behind the last comma.
        format!(
            r#"\b(?:{password}|{secret}),\s+["'`]?([^\s,;:"'`]{{4,}})["'`]?,\s+(?:(?:which|that)\s+)?(?:is|was|were|has|had|must|cannot|could|should|would|will|does|did|leaked|exposed|rejected|refused|accepted|denied|tried|used|found|sent|failed|expired|matches|appears?|appeared|contains|worked)\b"#
        ),
        format!(
            r#"\b(?:set|change|changed|reset|update|updated|switch)\s+(?:(?:the|your|its|their|a|user|[\w.@-]+'s)\s+)*{password}\s+(?:(?:for|of)\s+\S+\s+)?to\s+["'`]?([^\s,;:!?"'`]{{4,}}?)(?:["'`]|\s+(?:and|or|in|on|for|then|first|before|at)\b|[,;!?]|\.?\s*$)"#
        ),
        format!(
            r#"\b(?:\w*{password}|{secret})\s+([^\s,;:"']{{4,}})\s+(?:do(?:es)? not match|doesn't match|(?:is )?too (?:short|long|weak|simple)|is not a valid)"#
        ),
        format!(r"\b{secret}\s+([^\s,;:]{{4,}})\s+(?:is (?:invalid|wrong|incorrect)|was (?:rejected|refused))"),
        format!(
            r"\b(?:expected|want|wanted|got|have)\s+(?:the\s+)?(?:secret|token|{password})\s+([^\s,;:]{{4,}}),?\s+(?:but\s+)?(?:got|have|want|wanted|expected)\b"
        ),
        r"\b(?:logged in as|log in as|login as|using credentials?|with credentials?)\s+[\w.@-]+:([^\s,;:/]{4,})(?:[\s,;]|$)"
            .to_owned(),
        format!(r"\b{password}\s+(?:\w+\s+){{0,3}}?from\s+([^\s,;:]{{4,}})\s+to\s+([^\s,;:]{{4,}})"),
        format!(r#"["'`]([^"'`\s]{{4,}})["'`] is (?:not |an? )(?:an? |the )?(?:(?:in)?valid |correct |wrong |weak )?(?:\w+ )?(?:{password}|{secret}|token)\b"#),
        format!(
            r#"\b(?:use[ds]?|using|chose|choose|tr(?:y|ied|ying)|typed|entered)\s+([^\s,;:"'`]{{4,}})\s+as\s+(?:(?:the|a|an|its|your|my)\s+)?{password}(?:[,.;)]|\s*$|\s+(?:for|of|on|in|at|and)\b)"#
        ),
        // A password in place of a port, as Go, Python, and Java quote it.
        // The rest of a password after a comma, as Helm reads it, and what is no pair.
        r#"--set[\w-]*\b[^\n]*?\bkey\s+(?:map\s+)?\\*["']([^"'\\]{2,})\\*["']\s+has\s+no\s+value"#.to_owned(),
        r#"\binvalid\s+(?:[\w-]+\s+){0,2}?(?:source|parameter|variable|option|argument|pair|format)\s*[:=]?\s*["'`]?([^\s"'`,;:]{4,})["'`]?[,;:.]?\s[^\n]*?\b(?:key|name)\s?=\s?value"#.to_owned(),
        r#"["'`]([^\s"'`]{4,})["'`],?\s+(?:is not|must be|should be|does not|isn't)[^\n]*?\b(?:key\s?=\s?value|name\s?=\s?value|equals sign)"#.to_owned(),
        r#"\b(?:key|name)\s?=\s?value\b["'`.,:;]{0,3}\s+(?:but\s+)?(?:received|got|found)\b:?\s+["'`]?([^\s"'`]{4,})"#.to_owned(),
        r#"(?:\binvalid port [\\"']*:|cast to integer value as [\\"']*|MalformedURLException: For input string: [\\"']*)([^\s"'\\]*[^\s"'\\\d][^\s"'\\]*)"#.to_owned(),
    ];
    patterns.iter().filter_map(|pattern| ascii_regex(&format!("(?i){pattern}")).ok()).collect()
});
/// Patterns whose first group is a name, and whose second group is its value.
static PAIRS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let patterns = [
        r#"\b([A-Za-z_][\w.-]*)['"`>]?\s+(?:has|had|with)\s+(?:the\s+|a\s+)?value\s+['"`<]?([^\s'"`,;<>]{4,})"#,
        r#"\(\s*[bu]?['"]([\w.-]+)['"]\s*,\s*[bu]?['"]([^'"]{4,})['"]\s*\)"#,
        // A pair of Lisp: `(password . "X")`.
        r#"\(\s*([A-Za-z][\w-]*)\s+\.\s+\\*"([^"\\]{4,})\\*""#,
        // A row of two cells.
        r"(?m)^\s*[|│]\s*([A-Za-z][\w .-]*?)\s*[|│]\s*([^\s|│]{4,})\s*[|│]\s*$",
        r"(?m)(?:^|[\s>])([A-Za-z][\w.-]*)[|\t]([^\s|,\[\]]{4,})\s*$",
        r#"\b([A-Za-z][\w.-]*[A-Za-z])\s?\.{4,}\s?:?\s?['"]?([^\s'".,;]{4,})"#,
        r#"\b(\w*(?i:password|passwd|passphrase)|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\s+["']([^\s"']{4,})["']"#,
        r#"\b(?i:sets?|setting|chang\w+|updat\w+|resolv\w+|expand\w+|evaluat\w+|replac\w+|substitut\w+)\s+(?:\w+\s+){0,3}?[$'"`{<]*([A-Za-z]\w*[A-Z_.-][\w.-]*)[}'"`>]*\s+(?:to|as|with)\s+(?:<([^\s<>]{4,})>|['"`]?([^\s'"`,;<][^\s'"`,;]{3,}))"#,
        // `db.password is "X"`
        r#"\b([A-Za-z_]\w*(?:[._-]\w+)+)["'`]?\s+(?:is|was|equals)\s+["'`]([^\s"'`]{4,})["'`]"#,
        // The field above its error, as in Pydantic.
        r#"(?m)^\s*([A-Za-z][\w.-]*)\n[^\n]*?\binput(?:_value)?=['"]?([^\s'",)\]]{4,})"#,
        // The instance of a JSON schema, the columns of an index, and the field of CUE.
        r#"\binstance(?:\[[^\]\n]*\])*\[['"]([\w.-]+)['"]\]:\s+['"]([^'"\s]{4,})['"]"#,
        r"(?i)\bkey \(([\w, ]+)\)=\(([^)\n]{4,})\)",
        r#"(?i)\bindex ['"]([\w.-]+)['"]\.?\s+The duplicate key value is \(([^)\n]{4,})\)"#,
        r#"\b([A-Za-z_][\w.-]*):\s+(?:invalid|conflicting|incompatible)\s+values?\s+["'`]([^\s"'`]{4,})"#,
        // A directive of a server with a name and its value: `SetEnv DB_PASSWORD X`, `proxy_set_header X-Api-Key X;`.
        r#"\b(?:SetEnv|(?:fastcgi|uwsgi|scgi)_param|(?:proxy|more)_set_headers?|add_header|set-header|RequestHeader\s+set)\s+\\*["']?([A-Za-z][\w.-]*)\\*["']?\s+\\*["']?([^\s"'\\;$%{]{4,})"#,
        // The default of a variable: `env.DB_PASSWORD || "X"`, `fetch("DB_PASSWORD") { "X" }`, `.db.password | default "X"`.
        r#"\b([A-Za-z_][\w.]*)\\*["'`\])]*\s*(?:(?:\|\||\?\?)|\|\s*default|\)?\s*\{)\s*\\*["'`]([^\s"'`\\]{4,})\\*["'`]"#,
        // A key of a store, whose last part names it: `etcdctl put /app/password X`.
        r#"(?i)\b(?:consul\s+kv\s+put|(?:etcdctl|redis-cli|zkcli\S*)\b[^\n|;&]*?\s(?:put|set|create))\s+["']?[\w./:-]*?([\w.-]+)["']?\s+["']?([^\s"'-][^\s"']{3,})"#,
        // A value of the registry of Windows, or of a property.
        r#"(?i)\s/v\s+(\w+)\s[^\n]*?/d\s+["']?([^\s"']{4,})"#,
        r#"(?i)\s-Name\s+["']?([\w.-]+)["']?\s+-Value\s+["']?([^\s"']{4,})"#,
        // A tuple of Erlang: `{default_pass, <<"X">>}`.
        r#"\{\s*([a-z]\w*)\s*,\s*(?:<<)?\\*"([^"\\]{4,})\\*""#,
    ];
    patterns.iter().filter_map(|pattern| ascii_regex(pattern).ok()).collect()
});
/// A value, and the field that it does not fit.
static UNMARSHALED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"\bunmarshal\s+\S+\s+['"`]?([^\s'"`]{4,})['"`]?\s+into\s+Go\s+(?:struct\s+field|value|variable)\s+(?:\w+\.)*(\w+)"#).ok()
});
/// The excerpt of a value that a decoder of YAML quotes.
static EXCERPT: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r"\bunmarshal\s+!!\w+\s+`([^`\n]{4,})`\s+into\b").ok());
/// The secret next to an AWS access key, and the response of a digest.
static SHAPES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let patterns = [
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b(?:[/+]|[^\n]{0,80}?[^A-Za-z0-9/+])([A-Za-z0-9/+]{40})(?:$|[^A-Za-z0-9/+=])",
        r#"\b(?:AKIA|ASIA)[0-9A-Z]{16}["']?\s?[/:|,;=+~]\s?["']?([^\s"',;]{12,})"#,
        r#"(?i)\bDigest\s[^\n]*?\bresponse="?([0-9a-f]{32,128})"#,
    ];
    patterns.iter().filter_map(|pattern| ascii_regex(pattern).ok()).collect()
});
/// Words in place of a value: types, methods of authentication, and verbs.
const OTHERS: [&str; 47] = [
    "string",
    "text",
    "bool",
    "boolean",
    "integer",
    "number",
    "bytes",
    "array",
    "object",
    "enum",
    "char",
    "varchar",
    "publickey",
    "keyboard-interactive",
    "kerberos",
    "gssapi",
    "oauth",
    "oauth2",
    "oidc",
    "saml",
    "ldap",
    "basic",
    "certificate",
    "something",
    "anything",
    "nothing",
    "login",
    "email",
    "role",
    "roles",
    "group",
    "groups",
    "continue",
    "proceed",
    "unlock",
    "access",
    "regain",
    "meet",
    "comply",
    "activate",
    "plain",
    "plaintext",
    "hash",
    "length",
    "here",
    "again",
    "redacted",
];

/// Adds the values in phrases.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    if !MENTION.as_ref().is_none_or(|pattern| pattern.is_match(text)) {
        return;
    }
    for captures in VALUES.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let values = captures.iter().skip(1).flatten();
        // `system:` begins the names of users and groups of Kubernetes.
        let is_user = |start: usize| text[..start].ends_with("system:");
        let values = values.filter(|value| is_value(value.as_str()) && !is_user(value.start()));
        found.extend(values.map(|value| value.range()));
    }
    for captures in PAIRS.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        if let (Some(name), Some(value)) = (captures.get(1), captures.iter().skip(2).flatten().next())
            && is_secret_name(name.as_str())
        {
            found.extend(Some(value.range()).filter(|_| is_value(value.as_str())));
        }
    }
    for captures in UNMARSHALED.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        if let (Some(value), Some(field)) = (captures.get(1), captures.get(2))
            && is_secret_name(field.as_str())
        {
            found.push(value.range());
        }
    }
    let names_secret = std::cell::LazyCell::new(|| may_name_secret(text));
    for excerpt in EXCERPT.iter().flat_map(|pattern| pattern.captures_iter(text)).filter_map(|captures| captures.get(1))
    {
        let value = excerpt.as_str();
        let is_random = || shape(value.trim_end_matches('.'), SecretOrigin::Any) == ValueShape::Random;
        let is_number = || value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && value.len() < 6;
        if !is_prose(value)
            && !is_number()
            && !is_identifier(value)
            && (*names_secret || !value.contains(' ') && is_random())
        {
            found.push(excerpt.range());
        }
    }
    for captures in SHAPES.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        // The scope of a signature begins with its date: `AKIA…/20261126/eu-west-1/s3/aws4_request`.
        let is_scope = |value: &str| value.bytes().take_while(u8::is_ascii_digit).count() == 8 && value.contains('/');
        let is_secret = |value: &str| (is_opaque(value) || value.len() == 40) && !is_scope(value);
        found.extend(captures.get(1).filter(|value| is_secret(value.as_str())).map(|value| value.range()));
    }
}

/// Returns true unless a word belongs to the sentence.
pub(super) fn is_value(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',']);
    let is_participle = word.chars().all(char::is_alphabetic)
        && ["ed", "ing", "ly", "able", "ible", "ive", "only"].iter().any(|ending| word.ends_with(ending));
    let is_word = is_participle || word.split(['-', '/', '_']).all(is_prose) || is_masked(word);
    let is_other = OTHERS.iter().any(|other| word.eq_ignore_ascii_case(other));
    let is_template = word.starts_with(['$', '{', '%']) || word.contains("://");
    is_opaque(word) || !is_word && !is_other && !is_template
}

#[cfg(test)]
mod tests {
    use super::super::scrub;
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!((VALUES.len(), PAIRS.len(), SHAPES.len()), (17, 20, 3));
        assert!(MENTION.is_some() && UNMARSHALED.is_some() && EXCERPT.is_some());
    }

    #[test]
    fn values_in_phrases_are_hidden() {
        for text in [
            "set the password to canarybird and retry",
            "I have changed your password for bob to canarybird.",
            "wrong password (canarybird)",
            "password [canarybird] rejected",
            "password <canarybird> rejected",
            "login failed: shared secret (canarybird)",
            "webhook secret [canarybird] differs",
            "pre-shared key (canarybird) of the peer",
            "access token (canarybird) rejected",
            "keystore password - canarybird",
            "password \u{2192} canarybird",
            "the password reads canarybird.",
            "password, namely canarybird",
            "| password | canarybird |",
            "password\tcanarybird",
            "line: password|canarybird",
            "('password', 'canarybird')",
            "env DB_PASSWORD has value canarybird",
            "cannot unmarshal string \"canarybird\" into Go struct field Config.password",
            "webhook secret canarybird does not match",
            "expected secret canarybird, got other",
            "secret value canarybird is too short",
            "logged in as bob:canarybird",
            "AKIAIOSFODNN7EXAMPLE secret canarybird/K7MDENG/bPxRfiCYEXAMPLEKEYcan",
            "Digest username=\"x\", response=\"0123456789abcdef0123456789abcdef\"",
            "failed parsing --set data: key \"canarybird\" has no value",
            "error: invalid source canarybird, expected key=value",
            "invalid literal source canarybird, expected key=value",
            "The given -var option \"canarybird\" is not correctly specified. It must be a name and value separated by an equals sign",
            "parameters must be of the form: NAME=VALUE. Received: canarybird",
            "container <web> sets env <DB_PASSWORD> to <canarybird>",
            "'x' is too short\n\nOn instance['auth']['password']:\n    'canarybird'",
            "Key (tenant, api_token)=(1, canarybird) already exists.",
            "spec.password: conflicting values \"canarybird\" and int",
            "{default_pass, <<\"canarybird\">>}",
            "the password, canarybird, was leaked",
            "password, canarybird, leaked",
            "the admin's password turned out to be canarybird",
            "SetEnv DB_PASSWORD canarybird",
            "process.env.DB_PASSWORD || \"canarybird\"",
            "ENV.fetch(\"DB_PASSWORD\") { \"canarybird\" }",
            "ENV['DB_PASSWORD'] || 'canarybird'",
            "{{ .Values.db.password | default \"canarybird\" }}",
            "etcdctl put /app/password canarybird",
            "redis-cli -h db SET app:password canarybird",
            "reg add HKLM\\x /v Password /t REG_SZ /d canarybird",
            "Set-ItemProperty -Name Password -Value canarybird",
            "Failed password attempt: canarybird",
            "ask Bob for the password, it is canarybird",
            "the new password, which is canarybird, works",
            "proxy_set_header X-Api-Key canarybird;",
            "fastcgi_param DB_PASSWORD \"canarybird\";",
            "secret phrase is canarybird",
            "the unlock code is canarybird and expires",
            "got OBQXG43XN5ZGIPLDMFXGC4TZMJUXEZA= in base32",
        ] {
            let shown = scrub(text);
            assert!(
                !shown.contains("canarybird") && !shown.contains("89abcdef") && !shown.contains("OBQXG43"),
                "{shown}"
            );
        }
    }

    #[test]
    fn other_words_in_phrases_are_not_changed() {
        for text in [
            "reset the password to continue",
            "change the password to something stronger",
            "password (required)",
            "password (optional) of the database",
            "shared secret (optional) of the webhook",
            "access token (expired)",
            "password - required",
            "password named in the policy",
            "| password | string | required |",
            "| name | password | role |",
            "auth methods: publickey|password",
            "[password|token]",
            "secret db-conn does not match the selector",
            "expected secret in namespace shop, got none",
            "token value is invalid",
            "the field with value 5 is ignored",
            "cannot unmarshal number into Go struct field Config.password of type string",
            "using credentials crossplane-system/aws-creds",
            "logged in as system:serviceaccount:shop:default",
            "cannot unmarshal !!str `v1.2.3` into int; key: replicas",
            "Key (name)=(frontend) already exists.",
            "invalid source type for key=value pairs",
            "container <web> sets env <LOG_LEVEL> to <verbose>",
            "user, password, database, and host are required",
            "if password { \"set\" } else { \"unset\" }",
            "etcdctl put /app/config ordinary",
            "consul kv put app/name password",
            "failed password attempts: several",
            "the password, which is required, is empty",
            "the fields name, password, email, which are required",
            "password, however, is required",
            "proxy_set_header X-Forwarded-Proto https;",
            "proxy_set_header X-Api-Key $http_x_api_key;",
            "secret word boundaries are not matched",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
