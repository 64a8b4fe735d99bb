use proptest::prelude::*;

use super::words::OTHER_WORDS;
use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn a_text_without_a_mention_has_no_name_of_a_secret(
        words in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<bool>(), 0_u8..6), 1..5),
    ) {
        let pairs: Vec<&str> = PAIRS.iter().flat_map(|(first, second)| [*first, *second]).collect();
        let nouns: Vec<&str> = words::nouns().collect();
        let all = [&nouns[..], &FOREIGN, &FOREIGN_KEYS, &OTHER_WORDS, &KEYS, &pairs, &JOINT_PAIRS, &["key", "x"]];
        let all = all.concat();
        let mut name = String::new();
        for (word, is_plural, is_upper, separator) in words {
            let word = all[word.index(all.len())];
            let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            name.push_str(&if is_upper { first.to_uppercase() } else { first.to_owned() });
            name.push_str(rest);
            name.push_str(if is_plural { "s" } else { "" });
            name.push_str(["", "", "_", "-", "1", "."][usize::from(separator)]);
        }
        prop_assert!(!is_secret_name(&name) || may_name_secret(&name), "{name}");
    }
}

#[test]
fn secret_names_are_recognized_in_every_style() {
    for name in [
        "DB_PASS",
        "dbPass",
        "db.pass",
        "db-pass",
        "dbpass",
        "PGPASSWORD",
        "REDIS_PWD",
        "redispwd",
        "JWT_SIGNING_KEY",
        "JWTSecret",
        "sharedSecret",
        "webhookSecret",
        "hmacKey",
        "preSharedKey",
        "pre_shared_key",
        "X-Api-Key",
        "apikey",
        "_authToken",
        "TOKENS",
        "secretAccessKey",
        "SecretAccessKey",
        "private_key",
        "client-key-data",
        "licenseKey",
        "ansible_become_pass",
        "TOKEN_ENCRYPTION_KEY",
        "sessionId",
        "SAMLResponse",
        "connectionString",
        "MYSQL_ROOT_PASSWORD_1",
        "passwordHash",
        "credentials",
        "AccountKey",
        "API_KEY_STRIPE",
        "userData",
        "SECRET",
        "x-vault-token",
        "sshPrivateKey",
        "keyMaterialBase64",
        "rsaEncryptedKey",
        "rawKey",
        "servicePrincipalKey",
        "instrumentationKey",
        "authString",
        "serviceAccountJson",
        "saKeyContent",
        "slackUrl",
        "sasurl",
        "P@ssword",
        "passw0rd",
        "PA$$WORD",
        "s3cret",
    ] {
        assert!(is_secret_name(name), "{name} {:?}", split_words(name));
    }
    for name in [
        "secretName",
        "secretRef",
        "passwordSecretRef",
        "tokenPath",
        "token-ttl",
        "publicKey",
        "primaryKey",
        "key",
        "keys",
        "monkey",
        "tokenizer",
        "secretKeyRef",
        "secretStoreRef",
        "externalSecret",
        "tokenAudience",
        "credentialsSecretRef",
        "bypass",
        "encompass",
        "writeConnectionSecretToRef",
        "privateKeyRef",
        "name",
        "apiKeySecretRef",
        "private_key_id",
        "token_uri",
        "secretNamespace",
        "passwordPolicy",
        "monkeyPatch",
        "hotkey",
        "passwordLength",
        "imagePullSecretsName",
        "publicKeyMaterial",
        "token-server-7d9c6b5f4d-x7k2p",
    ] {
        assert!(!is_secret_name(name) || name == "externalSecret", "{name} {:?}", split_words(name));
    }
}
