//! Tokens and keys with recognizable forms, such as the prefixes that issuers add for scanners. Sources: the issuers'
//! documentation of token formats, and the rules of gitleaks (MIT) and GitHub's secret scanning.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use regex::Regex;

use super::super::ascii::ascii_regex;
use super::value::is_opaque;

/// Placeholder in a snapshot: [`super::super::Placeholders`].
const PLACEHOLDER: &str = r"<hidden-[0-9a-f]{16}-\d+>";
/// A private key, complete or truncated.
const PRIVATE_KEY: &str = r"-{4,5} ?BEGIN [A-Za-z0-9 ]*(?:PRIVATE KEY|Static key)[\s\S]*?(?:-{4,5} ?END [A-Za-z0-9 ]*(?:PRIVATE KEY|Static key)[A-Z0-9 ]*-{4,5}|\z)";

/// Each pattern begins with letters that are rare elsewhere.
const SHAPES: [&str; 44] = [
    // JWT or JWE: starts with a JSON object in base64. A JWE may have no key.
    r"eyJ[\w-]{8,}\.\.?[\w-]{4,}(?:\.[\w-]*){0,3}",
    r"k8s-aws-v1\.[\w-]{16,}|base64url\.bearer\.authorization\.k8s\.io\.[\w-]{8,}",
    // AWS, Alibaba, Tencent, Baidu, Volcano Engine. Session tokens begin with the name of their format in base64.
    r"(?:[FA][wQg]o[GD]ZXIvYXdz|AQoDYXdz|[AI][gQ]oJb3JpZ2luX2Vj)[\w+/=%-]{16,}|amzn1\.oa2-cs\.v1\.\w{32,}|amzn\.mws\.[\w-]{32,}",
    r"bce-v3/ALTAK-\w{16,}/\w{32,}|AKLT[\w-]{36,}|AQVN[\w-]{35,}|y0__?[\w-]{50,}|t1\.9euel[\w.=-]{60,}",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b(?:[/:|~+]\w(?u:[^\s\x22'<>,;]){15,})?",
    r"LTAI[A-Za-z0-9]{12,24}\b|AKID[A-Za-z0-9]{13,40}\b|ABSK[A-Za-z0-9+/]{40,}=*",
    // Google.
    r"AIza[\w-]{30,}|ya29\.[\w-]{12,}|GOCSPX-[\w-]{16,}|1//0[\w-]{16,}|4/0A[\w-]{40,}|EAA[A-Za-z0-9]{40,}|sl\.[\w-]{100,}",
    // GitHub, GitLab, Gitea, Bitbucket, Atlassian.
    r"gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|ghs_[\w.-]{16,}",
    r"gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|soat|oas|ffct|wt)-[\w.-]{16,}|GR1348941[\w-]{16,}",
    r"ATATT3[\w=-]{20,}|ATCTT3[\w=-]{20,}|ATBB[\w=-]{20,}|BBDC-[\w+/@-]{20,}",
    // Registries.
    r"dckr_(?:pat|oat)_[\w-]{16,}|npm_[A-Za-z0-9]{20,}|pypi-[\w-]{16,}|rubygems_[a-f0-9]{20,}|cio[A-Za-z0-9]{32}\b",
    // Chat.
    r"xox[a-es-uo-r]-[\w-]{10,}|xapp-\d-[\w-]{10,}|xoxe\.xox[bp]-[\w-]{10,}",
    r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/-]+",
    r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/[\w/-]+|mfa\.[\w-]{60,}",
    r"webhook\.office\.com/(?u:[^\s\x22'<>])+|outlook\.office(?:365)?\.com/webhook/(?u:[^\s\x22'<>])+",
    r"api\.telegram\.org/bot[\w:-]+|hooks\.zapier\.com/[\w/]+|events\.pagerduty\.com/integration/\w+|hc-ping\.com/[\w/-]+|alert\.victorops\.com/integrations/[\w/-]+",
    // Payment and commerce.
    r"[rsp]k_(?:live|test|prod)_\w{8,}|sk_[a-f0-9]{40,}|EZ[AT]K[A-Za-z0-9]{50,}|FLWSECK(?:_TEST)?-[\w-]{20,}|access-(?:production|development|sandbox)-[a-f0-9-]{36}|whsec_[\w+/=-]{16,}",
    r"shp(?:at|ca|pa|ss|tka)_[a-zA-Z0-9]{20,}|sq0(?:atp|csp|idp)-[\w-]{20,}|EAAA[\w-]{60}|access_token\$[a-z]+\$\w+\$\w+",
    // Mail and telephony.
    r"SG\.[\w-]{16,}\.[\w-]{16,}|key-[a-f0-9]{32}\b|SK[a-f0-9]{32}\b|xkeysib-[\w-]{20,}|re_[A-Za-z0-9]{8,}_[A-Za-z0-9]{16,}",
    r"(?:pub|priv)key-[a-f0-9]{32}\b",
    // Models.
    r"sk-(?:[a-z]+\d*-)*[\w-]{20,}|hf_[A-Za-z0-9]{20,}|api_org_[A-Za-z0-9]{20,}|r8_\w{20,}|gsk_\w{20,}|pplx-\w{20,}|xai-\w{20,}",
    r"nvapi-[\w-]{20,}|lsv2_[a-z]{2}_\w{20,}|tvly-[\w-]{20,}|tgp_v1_[\w-]{20,}|csk-\w{30,}|jina_\w{40,}|apify_api_\w{20,}|wandb_v1_\w{20,}",
    // HashiCorp.
    r"hv[sbr]\.[\w-]{16,}|s\.[A-Za-z0-9]{24}\b",
    // Clouds and platforms.
    r"do[opr]_v1_[a-f0-9]{32,}|dapi[a-f0-9]{32}(?:-\d)?\b|dose[a-f0-9]{32}\b|(?i:dapi[a-f0-9]{32})\b",
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{16,}|FlyV1 fm\d+[\w=,+/-]{20,}|fo1_[\w-]{20,}|HRKU-[\w-]{20,}|vc[prkai]?_\w{24,}",
    r"nfp_[A-Za-z0-9]{20,}|tskey-[a-z]+-[\w-]{8,}|ops_eyJ[\w+/=-]{20,}|A3-[A-Z0-9]{6}-[A-Z0-9-]{20,}|v1\.0-[a-f0-9]{24}-[a-f0-9]{64,}",
    r"pscale_(?:pw|tkn|oauth)_[\w=.-]{16,}|sbp_[a-f0-9]{20,}|sb_secret_[\w-]{16,}|pul-[a-f0-9]{32,}|LKEY[\w-]{20,}|ABSK\w{40,}",
    r"AVNS_[\w-]{16,}|CCDB1_\w{20,}|mdb_sa_sk_[\w-]{20,}|napi_\w{20,}|rnd_[A-Za-z0-9]{28,}|sdk-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}|pat-[a-z]{2}\d-[a-f0-9-]{36}",
    r"fm[12][ar]?_[\w+/=-]{20,}|CCIP(?:AT|RJ)_\w{20,}|bk[a-z]{2}_[a-f0-9]{40}|CLOJARS_[a-z0-9]{40,}|cmVmdGtu[\w=]{40,}|dkea[a-f0-9]{32}",
    // Grafana, New Relic, Sentry, Datadog, Dynatrace, Elastic, Honeycomb, Prefect.
    r"glsa_\w{20,}|glc_[A-Za-z0-9+/=]{20,}|NRAK-[A-Z0-9]{20,}|NRJS-[a-f0-9]{16,}|NRII-[\w-]{20,}|NRRA-[a-f0-9]{20,}",
    r"sntry[su]_[\w=+/-]{20,}|dt0[a-z]\d\d\.[A-Z0-9]{16,}\.[A-Z0-9]{32,}|essu_[\w=]{20,}|hc[abi]ik_\w{20,}|pnu_\w{20,}|dd[ap]_\w{30,}",
    // Work.
    r"lin_(?:api|oauth)_[A-Za-z0-9]{20,}|ntn_\w{20,}|secret_[A-Za-z0-9]{32,}|fig[do]_[\w-]{20,}|PMAK-[a-f0-9-]{20,}|pat[A-Za-z0-9]{14}\.[a-f0-9]{32,}",
    // Encryption.
    r"AGE-SECRET-KEY-1[A-Z0-9]{20,}|AGE-PLUGIN-[A-Z0-9-]+-1[A-Z0-9]{20,}|ANSIBLE_VAULT;[\d.]+;[\w.;-]+(?:(?:\s|\\[nr])+[0-9a-f]{16,})+|ENC\[[A-Z0-9_]+,data:(?u:[^\]])+\]",
    r"b3BlbnNzaC1rZXktdjE[\w+/=-]*|LS0tLS1CRUdJTi(?:BSU0Eg|BFQy|BPUEVO|BQUklW|BFTkNSWVBU|BEU0Eg|BQR1Ag)[\w+/=-]*",
    r"PuTTY-User-Key-File-\d(?u:[\s\S])*?Private-MAC: \w+",
    // Session cookies and one-time material of Kubernetes itself.
    r"kubeconfig-u-[\w]+:[a-z0-9]{30,}|kubeconfig-user-[\w.]+:[a-z0-9]{30,}|token-[a-z0-9]{5}:[a-z0-9]{40,}",
    r"sha256~[\w-]{40,}",
    r"sv=\d{4}-\d\d-\d\d&(?u:[^\s\x22'])*sig=[\w%+/=-]+",
    r"sgp_[a-f0-9_]{20,}|sq[aup]_[a-f0-9]{40}\b|CFPAT-[\w-]{20,}|API-[A-Z0-9]{25,}\b|ph[cxs]_\w{20,}|rdme_[a-z0-9]{40,}",
    r"shippo_(?:live|test)_\w{20,}|duffel_(?:live|test)_[\w-]{20,}|SCW[A-Z0-9]{17}\b|EXO[a-f0-9]{24}\b|K10[a-f0-9]{40,}::(?u:[^\s\x22'<>])+",
    r"p8e-[a-z0-9]{32}\b|bedrock-api-key-[\w+/=]{20,}|fio-u-[\w=-]{40,}|ico-[a-zA-Z0-9]{32}\b|tk-us-[\w-]{40,}|4b1d[A-Za-z0-9]{38}\b",
    r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][\w.+/=-]{40,}|s-s4t2(?:ud|af)-[a-f0-9]{40,}|sm_[asp]at_[A-Za-z0-9]{16,}",
    r"eyJrIjoi[A-Za-z0-9]{40,}=*|[ps]at\.[\w-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}\b|vercel_blob_rw_\w{20,}|cf(?:ut|k|at)_[\w-]{30,}",
    r"oy2[a-z0-9]{43}\b|AKCp[A-Za-z0-9]{60,}|pcsk_\w{20,}|ory_(?:st|at|rt|ac|pat)_[\w.-]{16,}|snyk_[us]at\.[\w.-]{16,}",
];

/// Password hashes of crypt and PostgreSQL, which can be attacked offline.
const HASHES: &str = r"\$(?:2[abxy]|argon2(?:id|i|d)|6|5|1|y|7|apr1)\$[./A-Za-z0-9$=,+]{16,}|SCRAM-SHA-\d+\$(?u:[^\s\x22'])+|\{(?:SSHA|SHA|SMD5|MD5|PBKDF2|ARGON2|CRYPT|NT)[\w-]*\}[\w+/=.$,-]{12,}|pbkdf2[_:-]sha\d+[:$]\d+[:$](?u:[^\s\x22'])+|(?-u:\b)md5[0-9a-f]{32}\b";

static SHAPED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes = SHAPES.join(r"|");
    // Names are joined with tokens by an underscore.
    ascii_regex(&format!(r"(?-u:(?:\b|_)(?:{shapes})|{PLACEHOLDER}|{HASHES})|{PRIVATE_KEY}")).ok()
});
/// Tokens that are recognized by a mark in the middle, with the mark.
static MARKED: LazyLock<Vec<(Finder<'static>, Regex)>> = LazyLock::new(|| {
    let patterns = [
        (".atlasv1.", r"(?-u)\b\w{14}\.atlasv1\.[\w-]{40,}"),
        ("Q~", r"(?-u)[\w~.-]{3}\dQ~[\w~.-]{31,34}"),
        ("_mmk", r"(?-u)\b\w{6}_\w{29}_mmk\b"),
        // An application of Facebook.
        ("|", r"(?-u)\b\d{15,16}\|[\w-]{27,40}\b"),
        // Keys of Azure: of cognitive services, of storage, of management.
        ("JQQJ99", r"(?-u)\b\w{40,70}JQQJ99\w{20,}"),
        ("+AS", r"(?-u)\b[\w+/]{60,80}\+ASt[\w+/]{6,10}=="),
        // Mail, chat.
        ("-us", r"(?-u)\b[a-f0-9]{32}-us\d{1,2}\b"),
        (":AA", r"(?-u)\b\d{8,10}:AA[\w-]{31,34}"),
        (".", r"(?-u)\b[MNO]\w{23,27}\.[\w-]{6}\.[\w-]{27,40}\b"),
    ];
    patterns.into_iter().filter_map(|(mark, pattern)| Some((Finder::new(mark), ascii_regex(pattern).ok()?))).collect()
});

/// Adds every token in a text.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let shaped = SHAPED.iter().flat_map(|pattern| pattern.find_iter(text)).map(|found| found.range());
    found.extend(shaped.filter_map(|range| match text[range.clone()].strip_prefix('_') {
        // The end of a longer name, such as that of a variable, has no digits among its letters.
        Some(token) => is_opaque(token).then(|| range.start + 1..range.end),
        None => Some(range),
    }));
    find_cut_keys(text, found);
    for (mark, pattern) in MARKED.iter() {
        if mark.find(text.as_bytes()).is_some() {
            found.extend(pattern.find_iter(text).map(|found| found.range()));
        }
    }
}

/// Length of the shortest rest of a private key.
const SHORTEST_REST: usize = 16;
/// Longest last line of a private key.
const LONGEST_MARK: usize = 64;

/// Adds the rest of a private key whose first line is cut off.
fn find_cut_keys(text: &str, found: &mut Vec<Range<usize>>) {
    let mut start = 0;
    for end in memchr::memmem::find_iter(text.as_bytes(), b"-----END ") {
        let (before, line) = (&text[start..end], &text[end..text.floor_char_boundary(end + LONGEST_MARK)]);
        // Line breaks may be escaped.
        let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=\\\n\r".contains(byte);
        let length = before.bytes().rev().take_while(is_key).count();
        if length >= SHORTEST_REST && line.contains("PRIVATE KEY-") && !before.contains("-----BEGIN ") {
            found.push(end - length..end);
        }
        start = end;
    }
}

#[cfg(test)]
#[test]
fn every_pattern_compiles() {
    assert!(SHAPED.is_some());
    assert_eq!(MARKED.len(), 9);
}
