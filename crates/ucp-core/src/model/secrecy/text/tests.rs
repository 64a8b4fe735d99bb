mod objects;
mod time;

use objects::OBJECTS;
use proptest::prelude::*;

use super::*;

const CANARY: &str = "c4nary-Xq7";

/// Texts with a secret in place of `CANARY`, as written by engines, servers, and drivers.
const LEAKS: &[&str] = &[
    "cannot connect to postgres://shop:CANARY@db:5432/shop?sslmode=require: timeout",
    "postgres://shop:p@ss/CANARY@db/shop",
    "postgres://shop:CANARY/x@db/shop",
    "postgres://shop:1/CANARY@db/shop",
    "redis://:CANARY@cache:6379/0",
    "mongodb+srv://u:CANARY@cluster0.example.org/db,amqp://u:CANARY@mq",
    "fatal: unable to access 'https://x-access-token:CANARY@git.example.org/a/b.git/': 403",
    "git clone https://CANARY@git.example.org/a/b",
    "https://u:CANARY@registry.example.org/@scope/package",
    "dial shop:CANARY@tcp(db:3306)/shop: refused",
    "shop:p@ss/CANARY@tcp(db:3306)/shop",
    "jdbc:postgresql://db/shop?user=shop&password=CANARY&ssl=true",
    "jdbc:sqlserver://db;user=sa;password=CANARY;encrypt=true",
    "jdbc:oracle:thin:scott/CANARY@//db:1521/shop",
    "host=db user=shop password=CANARY dbname=shop",
    "host=db password='CANARY with a space' user=shop",
    "host=db password=a;b&CANARY user=shop",
    "Server=db;Pwd={a;CANARY};Database=shop",
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=CANARY==;EndpointSuffix=core.windows.net",
    "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=n;SharedAccessKey=CANARY=",
    "spec.forProvider.password: Invalid value: \"CANARY\": must be at least 16 characters",
    "{\"user\": \"shop\", \"password\": \"CANARY\"}",
    "body: {\\\"password\\\":\\\"CANARY\\\",\\\"user\\\":\\\"x\\\"}",
    "{\"password\": \"a\\\"CANARY\"}",
    "{User:shop Password:CANARY Host:db}",
    "map[db-password:CANARY user:shop]",
    "password: CANARY",
    "password: correct-CANARY-staple is not accepted",
    "user: shop\npassword: CANARY\nhost: db",
    "private_key: |\n  CANARY\n  more\nuser: x",
    "--set db.password=CANARY --wait",
    "helm upgrade --password CANARY --username x",
    "Authorization: Bearer CANARY",
    "authorization=\"Basic CANARY\"",
    "header bearer CANARY0123456789 refused",
    "ALTER USER shop IDENTIFIED BY 'CANARY'",
    "CREATE ROLE shop PASSWORD 'CANARY'",
    "https://bucket.example.org/x?X-Amz-Credential=CANARY12345&X-Amz-Signature=CANARY12345",
    "-----BEGIN RSA PRIVATE KEY-----\nCANARY\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\\nCANARY cut off",
    "client-key-data: CANARY",
    "API_TOKEN=CANARY make",
    "\"clientSecret\" = \"CANARY\"",
    "~ password = \"<hidden>\" -> \"CANARY\"",
    "tokens: token=CANARY, user=x",
];

/// Tokens with recognizable forms.
const TOKENS: &[&str] = &[
    "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl-_x",
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "github_pat_11AAAAAAA0abcdefghijkl_0123456789abcdefghijkl",
    "glpat-ABCDEFGHIJ0123456789",
    "xoxb-123456789012-abcdefghijkl",
    "AIzaSyA0123456789abcdefghijklmnopqrstuvw",
    "hvs.CAESIJ0123456789abcdefghijkl",
    "k8s-aws-v1.aHR0cHM6Ly9zdHMuZXUtd2VzdC0x",
    "dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
];

/// Texts in which nothing may be hidden.
const NEEDED: &[&str] = &[
    "Get \"https://shop.mfa:8443/healthz\" and https://mfa:8443/ready: connection refused",
    "ghcr.io/example/echo@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "oci://ghcr.io/example/charts/echo:1.2.3@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "token-server:v1.2.3 and docker.io/library/vault-token:8200",
    "main@sha1:8b0c7d659a2feaa0c55ad015a3bf4f1b2b0b822c",
    "https://github.com/example/apps.git",
    "ssh://git@github.com/example/apps.git",
    "git@github.com:example/apps.git",
    "https://example.org:8443/a@b",
    "https://[::1]:6443/api",
    "https://registry.npmjs.org/@scope/package",
    "arn:aws:iam::123456789012:role/argocd",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-password-AbCdEf",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-token:password::",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "cannot get Secret \"crossplane-system/aws-credentials\": secrets \"aws-credentials\" not found",
    "cannot get credentials: cannot extract from Secret: no key named \"credentials\"",
    "failed to refresh cached credentials, no EC2 IMDS role found",
    "oauth2: cannot fetch token: 400 Bad Request",
    "get token: Post \"https://oauth2.googleapis.com/token\": dial tcp 10.0.0.1:443: i/o timeout",
    "spec.forProvider.password: Required value: must not be empty",
    "Secret shop/db-password: Forbidden by policy",
    "secrets/db-password: not found in namespace shop",
    "serviceaccounts/token",
    "passwordSecretRef=shop/db, secretKeyRef: db",
    "automountServiceAccountToken=false",
    "password=$(DB_PASSWORD) token=${TOKEN} apiKey={{ .key }}",
    "password=<hidden> password=**** password: (sensitive value)",
    "tokenizer=bpe token_uri=https://oauth2.googleapis.com/token",
    "basic authentication failed",
    "bearer authentication required",
    "the token expired, log in again",
    "kubectl-ucp-argocd-token-1",
    "User \"system:serviceaccount:flux-system:kustomize-controller\" cannot list resource \"secrets\"",
    "https://git.example.org/a/b/-/merge_requests/new?merge_request%5Bsource_branch%5D=x",
    "AuthorizationFailed: The client does not have authorization",
    "key: value, keys=3, monkey=banana",
    "SQLSTATE 28P01: password authentication failed for user \"shop\"",
];

/// Texts from the field, each with the part that must be hidden. Lines of logs are from public issues, with other
/// values.
const SECRETS: &str = include_str!("../../../../../../tests/fixtures/secrecy/secrets.json");
/// Texts without secrets, but with many words for them.
const ORDINARY: &str = include_str!("../../../../../../tests/fixtures/secrecy/ordinary.json");

#[derive(serde::Deserialize)]
struct LeakSample {
    text: String,
    hide: String,
}

#[test]
fn secrets_of_new_texts_are_hidden() {
    let texts: Vec<LeakSample> = serde_json::from_str(SECRETS).unwrap();
    assert!(texts.len() >= 150);
    let shown: Vec<String> = texts
        .iter()
        .map(|one| (scrub(&one.text).into_owned(), one))
        .filter(|(shown, one)| shown.contains(&one.hide))
        .map(|(shown, one)| format!("{:?} -> {shown:?}", one.text))
        .collect();
    assert!(shown.is_empty(), "{shown:#?}");
    // The same within encoded text.
    let encoded = texts.iter().filter(|one| one.text.len() < 400).flat_map(|one| {
        [serde_json::json!({ "note": one.text }).to_string(), format!("it said: {:?}", one.text)]
            .map(|text| (text, one))
    });
    let shown: Vec<String> =
        encoded.filter(|(text, one)| scrub(text).contains(&one.hide)).map(|(text, _)| text).collect();
    assert!(shown.is_empty(), "{shown:#?}");
}

/// A Secret that is cut off before or after its data.
#[test]
fn parts_of_secrets_are_hidden() {
    for text in ["apiVersion: v1\ndata:\n  x: CANARY", "  x: CANARY\n  y: b\nkind: Secret\nmetadata:\n  name: a"] {
        let shown = scrub(&text.replace("CANARY", CANARY)).into_owned();
        assert!(!shown.contains(CANARY), "{shown}");
    }
}

#[test]
fn ordinary_texts_are_not_changed() {
    let texts: Vec<String> = serde_json::from_str(ORDINARY).unwrap();
    assert!(texts.len() >= 300);
    let changed: Vec<_> = texts.iter().map(|text| (text, scrub(text))).filter(|(text, shown)| *text != shown).collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

/// Conditions of engines and providers, from the fixtures.
#[test]
fn recorded_messages_are_not_changed() {
    let texts = include_str!("../../../../../../tests/fixtures/secrecy/messages.txt");
    let changed: Vec<_> = texts.lines().map(|text| (text, scrub(text))).filter(|(text, shown)| text != shown).collect();
    assert!(changed.is_empty() && texts.lines().count() > 300, "{changed:#?}");
}

/// Texts of every kind: with and without secrets.
fn corpus() -> Vec<String> {
    let secrets: Vec<LeakSample> = serde_json::from_str(SECRETS).unwrap();
    let ordinary: Vec<String> = serde_json::from_str(ORDINARY).unwrap();
    let messages = include_str!("../../../../../../tests/fixtures/secrecy/messages.txt").lines();
    let own = [LEAKS, TOKENS, NEEDED, OBJECTS, PLACED].concat();
    let own = own.into_iter().map(|text| text.replace("CANARY", CANARY));
    secrets
        .into_iter()
        .map(|sample| sample.text)
        .chain(ordinary)
        .chain(messages.map(str::to_owned))
        .chain(own)
        .collect()
}

/// Fails if a search for everything finds more than a search for that to which there are clues.
fn check_clues(text: &str) {
    assert_eq!(search(text, 0, &Clues::everything()), search(text, 0, &Clues::read(text)), "{text}");
}

#[test]
fn texts_without_clues_contain_no_secrets() {
    for text in corpus() {
        check_clues(&text);
        // A part has fewer clues than the whole.
        let words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
        for start in 0..words.len().min(12) {
            check_clues(&words[start..].concat());
            check_clues(&words[..start].concat());
        }
    }
}

/// Secrets whose place is that of a flag, or of the value of a header.
const PLACED: &[&str] = &[
    "gh secret set NPM_TOKEN --body CANARY",
    "gh secret set NPM_TOKEN --repo a/b -b CANARY",
    "gh secret set --body CANARY NPM_TOKEN",
    "gh secret set NPM_TOKEN --body=CANARY --env prod",
    "gh secret set NPM_TOKEN CANARY",
    "az keyvault secret set --vault-name v --name db --value CANARY",
    "az keyvault secret set --name db --value \"CANARY\" --vault-name v",
    "aws secretsmanager create-secret --name db --secret-string 'CANARY'",
    "aws secretsmanager put-secret-value --secret-id db --secret-string CANARY",
    "glab variable set DEPLOY_TOKEN --value CANARY",
    "X-Hub-Signature-256: sha256=CANARY6bdf9f0e2b1a4c8d",
    "x-hub-signature=sha1=CANARY6bdf9f0e2b1a4c8d",
    "{\"X-Gitea-Signature\":[\"CANARY6bdf9f0e2b1a4c8d\"]}",
    "Stripe-Signature: t=1492774577,v1=CANARY9bf5b, v0=CANARY6bdf9f0e2b1a4c8d",
    "X-Shopify-Hmac-Sha256: CANARY6bdf9f0e2b1a4c8d=",
    "webhook-signature: v1,CANARY6bdf9f0e2b1a4c8d=",
    "GET https://h/?key=CANARY: refused",
    "login failed for sa with 'CANARY' as password",
    "DB_PASSWORD is set to CANARY",
    "password mismatch: got CANARY, want other",
    "password does not match: expected other, got CANARY",
    "vault kv put -mount=secret shop/db user=shop value=CANARY",
    "aws ssm put-parameter --name x --value CANARY --type SecureString",
    "Signature: keyId=\"ci\",signature=\"CANARY6bdf9f0e2b1a\"",
    "request failed: key=aB3dCANARYeF4gH5iJ6kL7",
];

#[test]
fn values_of_flags_and_signatures_of_webhooks_are_hidden() {
    for text in PLACED {
        let shown = scrub(&text.replace("CANARY", CANARY)).into_owned();
        assert!(!shown.contains(CANARY), "{shown}");
        assert_eq!(scrub(&shown), shown);
    }
    let mut headers = serde_json::json!({"headers": {"X-Hub-Signature-256": format!("sha256={CANARY}6bdf9f0e2b1a")}});
    replace_in_object(&mut headers, &mut |_| HIDDEN.to_owned());
    assert!(!headers.to_string().contains(CANARY), "{headers}");
    // Identifiers and references are shown.
    for text in [
        "existingSecret: db-credentials1x2y",
        "auth.existingSecret=db-credentials1x2y",
        "existingPasswordSecret: db-credentials1x2y",
        "checksum sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "dev.sigstore/signature: MEUCIQDx1y2z3 is verified",
        "image-signature: not found in registry",
        "cannot reconcile key=shop/web-7d9f8b6c5d-x2x4z",
        "key=web-7d9f8b6c5d-x2x4z key=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "gh secret set --body-file token.txt",
        "LOG_LEVEL is set to debug, DB_PASSWORD is set to $(DB_PASSWORD)",
        "selector does not match: expected app=web, got app=api",
        "aws ssm put-parameter --name x --value 5 --type String",
        "gh secret list --repo example/apps",
        "kubectl create secret generic db --dry-run=client",
    ] {
        assert_eq!(scrub(text), text);
    }
}

#[test]
fn refused_values_of_secrets_are_hidden() {
    for text in [
        r#"Secret/db: Invalid value: "CANARY""#,
        r#"Secret "db" is invalid: data: Invalid value: map[string]string{"user":"a","k":"CANARY"}"#,
        r#"Secret "db" is invalid: data: Invalid value: map[string][]byte{"k":[]uint8("CANARY")}: too long"#,
    ] {
        let scrubbed = scrub(&text.replace("CANARY", CANARY)).into_owned();
        assert!(!scrubbed.contains(CANARY) && scrubbed.contains(HIDDEN), "{scrubbed}");
    }
    let shown = r#"Deployment/web: Invalid value: "abc""#;
    assert_eq!(scrub(shown), shown);
}

#[test]
fn no_secret_remains_after_scrubbing() {
    for leak in LEAKS {
        let text = leak.replace("CANARY", CANARY);
        let scrubbed = scrub(&text);
        assert!(!scrubbed.contains(CANARY) && scrubbed.contains(HIDDEN), "{text}\n{scrubbed}");
        assert_eq!(scrub(&scrubbed), scrubbed, "hidden text is not changed again");
    }
    for token in TOKENS {
        let text = format!("the server said: {token}, twice");
        assert_eq!(scrub(&text), "the server said: <hidden>, twice", "{text}");
    }
}

#[test]
fn useful_texts_are_not_changed() {
    for text in NEEDED {
        assert!(matches!(scrub(text), Cow::Borrowed(_)), "{text}\n{}", scrub(text));
    }
}

#[test]
fn text_around_a_secret_is_kept() {
    for (text, expected) in [
        ("postgres://u:pw@db:5432/shop?sslmode=require", "postgres://<hidden>@db:5432/shop?sslmode=require"),
        (
            "jdbc:sqlserver://db;user=sa;password=x1;encrypt=true",
            "jdbc:sqlserver://db;user=sa;password=<hidden>;encrypt=true",
        ),
        ("https://h/?password=x1&ssl=on: refused", "https://h/?password=<hidden>&ssl=on: refused"),
        ("{\"password\":\"x1\",\"user\":\"u\"}", "{\"password\":\"<hidden>\",\"user\":\"u\"}"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer <hidden>"),
        ("password: Invalid value: \"x\": too short", "password: Invalid value: \"<hidden>\": too short"),
    ] {
        assert_eq!(scrub(text), expected);
    }
}

proptest! {
    #[test]
    fn passwords_in_urls_never_show(
        scheme in "postgres|https|amqp|redis|mysql|ssh|mongodb\\+srv",
        // Any quotation mark may end a URL.
        before in "[^\\s\"'`<>:@«»‘’‚‛′“”„‟″‹›「」]{0,8}",
        after in "[^\\s\"'`<>:«»‘’‚‛′“”„‟″‹›「」]{0,8}",
        // A label such as `jwt` before a port may be taken for the name of a secret.
        host in "q[a-z]{0,7}(\\.q[a-z]{1,4})?(:[0-9]{2,5})?",
        around in "[a-z ]{0,10}",
    ) {
        // A password may contain unencoded characters; digits before a slash in a Web URL are treated as a port.
        prop_assume!(!(before.starts_with('/') || before.starts_with(['?', '#'])));
        prop_assume!(!before.split(['/', '?', '#']).next().unwrap_or_default().chars().all(|c| c.is_ascii_digit())
            || !before.contains(['/', '?', '#']));
        let text = format!("{around} {scheme}://user:{before}{CANARY}{after}@{host}/path {around}");
        prop_assert!(!scrub(&text).contains(CANARY), "{}", scrub(&text));
        // Other characters may start an assignment or an escape, whose value may reach over the host.
        if before.chars().chain(after.chars()).all(|c| c.is_alphanumeric() || "-._~!$*+%^,".contains(c)) {
            prop_assert!(scrub(&text).contains(&format!("@{host}/path")), "{}", scrub(&text));
        }
    }

    #[test]
    fn assigned_passwords_never_show(
        name in "(DB_|db\\.|my-)?(password|apiKey|client_secret|token|Pwd)",
        value in "[^\\s\"'`\\\\{}]{1,12}",
        rest in "( user=x|;user=x|&user=x|, user=x)?",
    ) {
        let name = if name.ends_with("Pwd") { "Pwd".to_owned() } else { name };
        let text = format!("x {name}={CANARY}{value}{rest}");
        let scrubbed = scrub(&text);
        prop_assert!(!scrubbed.contains(CANARY), "{}", scrubbed);
    }

    #[test]
    fn digests_names_and_revisions_are_kept(
        digest in "[0-9a-f]{64}",
        commit in "[0-9a-f]{40}",
        name in "[a-z]([a-z0-9-]{0,20}[a-z0-9])?",
        uuid in "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ) {
        let text = format!(
            "Deployment shop/{name} runs ghcr.io/{name}/x@sha256:{digest} of main@sha1:{commit} as {uuid}, \
             arn:aws:rds:eu-west-1:123456789012:db:{name} https://{name}.example.org:6443/{commit}"
        );
        prop_assert!(matches!(scrub(&text), Cow::Borrowed(_)), "{}", scrub(&text));
    }

    #[test]
    fn mixed_texts_without_clues_contain_no_secrets(
        words in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_u8..6), 1..10),
    ) {
        let corpus = corpus();
        let mut text = String::new();
        for (line, word, separator) in words {
            let line = &corpus[line.index(corpus.len())];
            let parts: Vec<&str> = line.split_inclusive([' ', '\n', '"', '=', ':', ',', '{']).collect();
            text.push_str(parts[word.index(parts.len())]);
            text.push_str(["", "", " ", "\n", "=", "/"][usize::from(separator)]);
        }
        check_clues(&text);
    }

    #[test]
    fn no_text_makes_scrubbing_panic(text in "[\\PC\n]{0,120}", noise in "[:/@=\"'\\\\{}|>;&, -]{0,30}") {
        for text in [text.clone(), format!("password{noise}{text}"), format!("a://{noise}{text}@{noise}")] {
            let once = scrub(&text).into_owned();
            prop_assert!(once.is_char_boundary(once.len()));
        }
    }
}
