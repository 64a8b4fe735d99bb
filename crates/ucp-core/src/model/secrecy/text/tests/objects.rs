//! Secrets in objects, and the values below names.

use super::*;

#[test]
fn secrets_below_and_next_to_their_names_are_hidden() {
    for text in [
        r#"{"password":{"value":"CANARY"}}"#,
        r#"{"spec":{"password":{"plain":{"text":"CANARY"}}}}"#,
        r#"{"fieldName":"password","fieldValue":"CANARY"}"#,
        r#"{"parameterName":"DB_PASSWORD","parameterValue":"CANARY"}"#,
        r#"{"header":[{"name":"Authorization","value":"CANARY"}]}"#,
        r#"{"clientSecret":{"value":"CANARY"},"privateKey":{"pem":"CANARY"}}"#,
        r#"{"password":[{"value":"CANARY"}]}"#,
        r#"{"type":"SecureString","value":"CANARY"}"#,
    ] {
        let text = text.replace("CANARY", CANARY);
        let mut object: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(!super::super::super::is_clean(&text, &|_| false), "{text}");
        replace_in_object(&mut object, &mut |_| HIDDEN.to_owned());
        assert!(!object.to_string().contains(CANARY), "{object}");
        assert!(!scrub(&format!("rejected: {text}")).contains(CANARY), "{}", scrub(&format!("rejected: {text}")));
    }
    // References to secrets are shown.
    let mut reference =
        serde_json::json!({"passwordSecretRef": {"name": "db", "key": "password", "namespace": "shop"}});
    let before = reference.clone();
    replace_in_object(&mut reference, &mut |_| HIDDEN.to_owned());
    assert_eq!(reference, before);
}

/// Secrets in objects: parameters of plugins, headers, command lines, values of charts, manifests in texts.
pub(super) const OBJECTS: &[&str] = &[
    r##"{"spec":{"source":{"plugin":{"parameters":[{"name":"token","string":"CANARY"}]}}}}"##,
    r##"{"spec":{"source":{"plugin":{"parameters":[{"name":"tokens","array":["CANARY","b"]}]}}}}"##,
    r##"{"spec":{"source":{"plugin":{"parameters":[{"name":"secrets-password","map":{"a":"CANARY"}}]}}}}"##,
    r##"{"spec":{"image":"user:CANARY@registry.example.org/a:1"}}"##,
    r##"{"spec":{"args":["mysqldump","-uroot","-pCANARY"]}}"##,
    r##"{"spec":{"args":["-uroot","-pCANARY1"]}}"##,
    r##"{"spec":{"valuesObject":{"extraSecret":{"blob":"CANARY"}}}}"##,
    r##"{"spec":{"valuesObject":{"secrets":{"database":"CANARY"}}}}"##,
    r##"{"spec":{"valuesObject":{"passwords":{"root":"CANARY"}}}}"##,
    r##"{"spec":{"valuesObject":{"credentials":{"stripe":{"live":"CANARY"}}}}}"##,
    r##"{"spec":{"valuesObject":{"auth":{"tokens":[{"id":"a","plain":"CANARY"}]}}}}"##,
    r##"{"spec":{"valuesObject":{"apiKeys":[{"user":"a","hash":"CANARY"}]}}}"##,
    r##"{"spec":{"headers":[{"name":"X-Api-Key","values":["CANARY"]}]}}"##,
    r##"{"spec":{"headers":{"Authorization":"CANARY"}}}"##,
    r##"{"spec":{"headers":{"Cookie":"a=CANARY"}}}"##,
    r##"{"spec":{"headers":{"Authorization":["Bearer CANARY"]}}}"##,
    r##"{"spec":{"envVars":[{"key":"DB_PASSWORD","default":"CANARY"}]}}"##,
    r##"{"spec":{"envVars":[{"variable":"DB_PASSWORD","value":"CANARY"}]}}"##,
    r##"{"spec":{"params":[{"id":"password","value":"CANARY"}]}}"##,
    r##"{"spec":{"params":[{"field":"password","value":"CANARY"}]}}"##,
    r##"{"spec":{"params":[{"label":"password","value":"CANARY"}]}}"##,
    r##"{"spec":{"params":[{"parameter":"password","value":"CANARY"}]}}"##,
    r##"{"spec":{"params":[["password","CANARY1x2y"]]}}"##,
    r##"{"spec":{"Password":{"S":"CANARY"}}}"##,
    r##"{"spec":{"user_data_base64":"CANARY"}}"##,
    r##"{"spec":{"ssl":{"key":"-----BEGIN PRIVATE KEY-----\nCANARY"}}}"##,
    r##"{"spec":{"contraseña":"CANARY"}}"##,
    r##"{"spec":{"密码":"CANARY"}}"##,
    r##"{"spec":{"extraManifests":["apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData:\n  a: CANARY\n"]}}"##,
    r##"{"spec":{"extraManifests":["kind: Secret\napiVersion: v1\ndata: {a: CANARY}\n"]}}"##,
    r##"{"spec":{"files":{"a.env":"A_PASSWORD=CANARY\n"}}}"##,
    r##"{"spec":{"cloudInit":"#cloud-config\nusers:\n- name: x\n  plain_text_passwd: CANARY\nchpasswd:\n  list: |\n    root:CANARY\n"}}"##,
    r##"{"spec":{"script":"mysql -u root -pCANARY <<EOF\nx\nEOF"}}"##,
    r##"{"spec":{"hcl":"provider \"x\" {\n  token = \"CANARY\"\n}"}}"##,
    r##"{"spec":{"hcl":"variable \"password\" {\n  default = \"CANARY\"\n}"}}"##,
    r##"{"spec":{"ini":"[db]\npassword = CANARY\n"}}"##,
    r##"{"spec":{"toml":"password = '''CANARY'''"}}"##,
    r##"{"spec":{"json":"{\"a\":{\"password\":\"CANARY\"}}"}}"##,
    r##"{"spec":{"command":["redis-server","--requirepass","CANARY"]}}"##,
    r##"{"spec":{"command":["sh","-c","redis-server --requirepass CANARY"]}}"##,
    r##"{"spec":{"command":["curl","-u","x:CANARY","h"]}}"##,
    r##"{"spec":{"command":["curl","-H","Authorization: Bearer CANARY","h"]}}"##,
    r##"{"spec":{"command":["docker","login","-u","x","-p","CANARY"]}}"##,
    r##"{"spec":{"parameters":[{"ParameterKey":"DbPassword","ParameterValue":"CANARY"}]}}"##,
    r##"{"spec":{"parameters":[{"OptionName":"DbPassword","Value":"CANARY"}]}}"##,
    r##"{"spec":{"changes":[{"displayName":"ClientSecret","oldValue":"x","newValue":"CANARY"}]}}"##,
    r##"{"spec":{"changes":[{"attribute":"password","before":"CANARY","after":"x"}]}}"##,
    r##"{"spec":{"changes":[{"path":["spec","password"],"value":"CANARY"}]}}"##,
    r##"{"spec":{"pairs":[{"k":"password","v":"CANARY"}]}}"##,
    r##"{"spec":{"outputs":{"db":{"sensitive":true,"type":"string","value":"CANARY"}}}}"##,
    r##"{"spec":{"parameters":[{"name":"x","type":"password","value":"CANARY"}]}}"##,
    r##"{"spec":{"password":{"stringValue":"CANARY"},"token":{"unsafe":"CANARY"}}}"##,
    r##"{"kind":"SecretList","items":[{"metadata":{"name":"a"},"data":{"x":"CANARY"}}]}"##,
];

#[test]
fn secrets_of_objects_are_hidden_by_their_place() {
    for text in OBJECTS {
        let text = text.replace("CANARY", CANARY);
        let mut object: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(!super::super::super::is_clean(&text, &|_| false), "{text}");
        replace_in_object(&mut object, &mut |_| HIDDEN.to_owned());
        assert!(!object.to_string().contains(CANARY), "{object}");
    }
}

/// Objects with documents in files, whose names decide if they are secret.
const FILES: &str = include_str!("../../../../../../../tests/fixtures/secrecy/objects.json");

#[derive(serde::Deserialize)]
struct ObjectSamples {
    secrets: Vec<ObjectLeak>,
    ordinary: Vec<serde_json::Value>,
}

#[derive(serde::Deserialize)]
struct ObjectLeak {
    object: serde_json::Value,
    hide: String,
}

#[test]
fn documents_in_objects_are_hidden_by_the_names_of_their_files() {
    let samples: ObjectSamples = serde_json::from_str(FILES).unwrap();
    assert!(samples.secrets.len() > 15 && samples.ordinary.len() > 10);
    for ObjectLeak { mut object, hide } in samples.secrets {
        assert!(!super::super::super::is_clean(&object.to_string(), &|_| false), "{object}");
        replace_in_object(&mut object, &mut |_| HIDDEN.to_owned());
        assert!(!object.to_string().contains(&hide), "{object}");
    }
    for before in samples.ordinary {
        let mut object = before.clone();
        replace_in_object(&mut object, &mut |_| HIDDEN.to_owned());
        assert_eq!(object, before);
    }
}

#[test]
fn settings_and_references_below_secret_like_names_are_shown() {
    for text in [
        r#"{"credentials":{"source":"InjectedIdentity","secretRef":{"name":"aws","namespace":"x","key":"creds"}}}"#,
        r#"{"secrets":[{"name":"regcred"}],"imagePullSecrets":[{"name":"regcred"}]}"#,
        r#"{"secret":{"secretName":"db","items":[{"key":"a","path":"b"}],"optional":true}}"#,
        r#"{"serviceAccountToken":{"path":"token","audience":"vault","expirationSeconds":3600}}"#,
        r#"{"externalSecretSpec":{"refreshInterval":"1h","secretStoreRef":{"name":"vault","kind":"SecretStore"}}}"#,
        r#"{"secret":{"create":true,"existingSecret":"db","type":"Opaque"},"authorization":"RBAC"}"#,
        r#"{"matchExpressions":[{"key":"token","operator":"In","values":["a"]}]}"#,
        r#"{"required":["password","size"],"args":["-p","8080","-u","1000"]}"#,
        r#"{"op":"move","from":"/spec/a","path":"/spec/password"}"#,
        r#"{"outputs":{"region":{"sensitive":false,"type":"string","value":"x"}},"kind":"Secret","value":"x"}"#,
        r#"{"kind":"ExternalSecret","name":"db-password","current":"Synced"}"#,
        r#"{"env":[{"name":"DB_PASSWORD","valueFrom":{"secretKeyRef":{"name":"db","key":"password"}}}]}"#,
    ] {
        let before: serde_json::Value = serde_json::from_str(text).unwrap();
        let mut object = before.clone();
        replace_in_object(&mut object, &mut |_| HIDDEN.to_owned());
        assert_eq!(object, before);
    }
}

/// Returns an object with its secrets hidden, and checks that it is not taken for one without any.
fn hidden(text: &str) -> String {
    let mut object: serde_json::Value = serde_json::from_str(text).unwrap();
    assert!(!super::super::super::is_clean(text, &|_| false), "{text}");
    replace_in_object(&mut object, &mut |_| HIDDEN.to_owned());
    object.to_string()
}

#[test]
fn names_of_fields_that_are_secrets_are_hidden() {
    for (text, shown) in [
        (r#"{"remotes":{"https://bot:canary@h/":"x"}}"#, r#"{"remotes":{"https://<hidden>@h/":"x"}}"#),
        (r#"{"labels":{"ghp_aaaabbbbccccddddeeee":"x"}}"#, r#"{"labels":{"<hidden>":"x"}}"#),
        (r#"{"f:labels":{"f:ghp_aaaabbbbccccddddeeee":{}}}"#, r#"{"f:labels":{"f:<hidden>":{}}}"#),
        (r#"{"passwords":{"CanaryQx7310":"alice"}}"#, r#"{"passwords":{"<hidden>":"<hidden>"}}"#),
        (r#"{"tokens":{"admins":{"CanaryQx7310":true}}}"#, r#"{"tokens":{"admins":{"<hidden>":true}}}"#),
    ] {
        assert_eq!(hidden(text), shown);
    }
    for text in [
        r#"{"credentials":{"oauth2Client":{"x509Bundle":true},"DB_HOST_1":{"a":1},"azure":{"enabled":true}}}"#,
        r#"{"f:imagePullSecrets":{"k:{\"name\":\"Registry1Xa\"}":{}},"writeConnectionSecretToRef":{"name":"a"}}"#,
        r#"{"secretsmanager:ResourceTag/password":{},"token.actions.githubusercontent.com:sub":{}}"#,
    ] {
        let before: serde_json::Value = serde_json::from_str(text).unwrap();
        let mut object = before.clone();
        replace_in_object(&mut object, &mut |_| HIDDEN.to_owned());
        assert_eq!(object, before);
    }
}

#[test]
fn values_of_names_that_are_rarely_secret_are_hidden_if_they_look_issued() {
    for text in [
        r#"{"primaryKey":"CanaryQx7310"}"#,
        r#"{"auth":"CanaryQx7310"}"#,
        r#"{"auth":["CanaryQx7310"]}"#,
        r#"{"cookie":{"value":"CanaryQx7310"}}"#,
        r#"{"authorization":"CanaryQx7310"}"#,
        r#"{"headers":{"X-Auth":"CanaryQx7310"}}"#,
        r#"{"parameter":[{"name":"auth","value":"CanaryQx7310"}]}"#,
        r#"{"pfx":"MIICanary0+/MIICanary0+/MIICanary0+/MIICanary0+/"}"#,
        r#"{"sharedAccessPolicyKey":"CanaryQx7310"}"#,
    ] {
        let shown = hidden(text);
        assert!(!shown.contains("Canary"), "{shown}");
    }
    for text in [
        r#"{"primaryKey":"customer_id2","auth":"enabled","authorization":"rbac","session":"PT8H","userKey":"email"}"#,
        r#"{"auth":{"role":"Auth0TenantReader","audience":"Https1Api","mountPath":"kubernetesProd1"}}"#,
        r#"{"auth":"arn:aws:sns:eu-west-1:123456789012:TopicName1","pkcs12":{"create":true},"seed":"/Etc/Seed1"}"#,
        r#"{"parameter":[{"name":"auth","value":"oidc"}],"keyValue":"team","secondaryKey":"sort_key_1"}"#,
    ] {
        let before: serde_json::Value = serde_json::from_str(text).unwrap();
        let mut object = before.clone();
        replace_in_object(&mut object, &mut |_| HIDDEN.to_owned());
        assert_eq!(object, before);
    }
}
