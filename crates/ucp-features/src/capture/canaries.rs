//! Canaries of many forms in all places of an object where secrets may be: a snapshot contains none of them.

use serde_json::{Value, json};

use super::literal::LiteralExceptions;
use super::redact::redact;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::secrecy::Placeholders;

const SECRETS: &str = include_str!("../../../../tests/fixtures/secrecy/secrets.json");

/// Returns objects with a text that is recognizable as a secret, in different places.
fn places_of_texts(text: &str) -> Vec<Value> {
    let message = json!([{"type": "Ready", "status": "False", "message": text}]);
    vec![
        json!({"status": {"conditions": message}}),
        json!({"spec": {"anything": [{"deep": text}]}}),
        json!({"spec": {"json": json!({"note": text}).to_string()}}),
        json!({"metadata": {"name": "x", "annotations": {"argocd.argoproj.io/note": text}}}),
    ]
}

/// Returns a text that is YAML only after it is rendered.
fn template(field: &str, entry: &str) -> String {
    format!("{{{{- range $a := .b }}}}\n- spec:\n    {field}\n    {entry}\n    image: {{{{ $a }}}}\n{{{{- end }}}}\n")
}

/// Returns objects with a value in places where any value counts as a secret, regardless of its form.
fn places_of_values(value: &str) -> Vec<(&'static str, Value)> {
    let manifest = format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\nstringData:\n  plain: {value}\n");
    let kustomization = format!("secretGenerator:\n- name: x\n  literals:\n  - plain={value}\n");
    let patch = format!("- op: add\n  path: /data/plain\n  value: {value}\n");
    let values = format!("auth:\n  enabled: true\nextraEnv:\n- name: SECRET_TOKEN\n  value: {value}\n");
    let container = |container: Value| json!({"spec": {"template": {"spec": {"containers": [container]}}}});
    let thing = |spec: Value| ("Thing", json!({ "spec": spec }));
    vec![
        ("ConfigMap", json!({"data": {"provider": "canary", "plain": value}})),
        ("ConfigMap", json!({"data": {"provider": "aws", "plain": value}})),
        ("ConfigMap", json!({"data": {"settings": value}})),
        ("Secret", json!({"data": {"plain": value}})),
        ("Secret", json!({"stringData": {"plain": value}})),
        ("Deployment", container(json!({"env": [{"name": "PLAIN", "value": value}]}))),
        ("Deployment", container(json!({"args": ["serve", "--password", value]}))),
        ("Deployment", container(json!({"args": ["serve", format!("--plain={value}")]}))),
        ("Deployment", container(json!({"args": ["serve", value]}))),
        ("Deployment", container(json!({"command": ["sh", "-c", format!("echo {value} | login")]}))),
        ("Thing", json!({"metadata": {"name": "x", "annotations": {"example.org/plain": value}}})),
        (
            "Thing",
            json!({"metadata": {"name": "x", "annotations": {"kubectl.kubernetes.io/last-applied-configuration": value}}}),
        ),
        thing(json!({"template": {"metadata": {"annotations": {"plain": value}}}})),
        thing(json!({"parameters": [{"Name": "DB_PASSWORD", "Value": value}]})),
        thing(json!({"parameters": [{"name": "auth.password", "value": value}]})),
        thing(json!({"patches": [{"patch": patch}]})),
        thing(json!({"patch": json!([{"op": "add", "path": "/stringData/plain", "value": value}]).to_string()})),
        thing(json!({"patches": [{"op": "add", "path": "/data/plain", "value": value}]})),
        thing(json!({"postRenderers": [{"kustomize": {"patches": [{"patch": manifest}]}}]})),
        thing(json!({"pipeline": [{"input": {"inline": {"template": manifest}}}]})),
        thing(json!({"base": {"apiVersion": "v1", "kind": "Secret", "stringData": {"plain": value}}})),
        thing(json!({"kustomization": kustomization})),
        thing(json!({"secretGenerator": [{"name": "x", "literals": [format!("plain={value}")]}]})),
        thing(json!({"helm": {"values": values}})),
        thing(json!({"helm": {"parameters": [{"name": "global.token", "value": value}]}})),
        thing(json!({"server": format!("https://h/?token={value}")})),
        thing(json!({"forProvider": {"masterPassword": value, "region": "eu-central-1"}})),
        thing(json!({"tokens": [value]})),
        thing(json!({"extraEnvVars": [{"name": "PLAIN", "value": value}]})),
        thing(json!({"environment": {"PLAIN": value}})),
        thing(json!({"manifest": {"apiVersion": "v1", "kind": "ConfigMap", "data": {"plain": value}}})),
        thing(json!({"manifest": {"apiVersion": "v1", "kind": "ConfigMap", "binaryData": {"plain": value}}})),
        thing(json!({"patches": [{"patch": format!("apiVersion: v1\nkind: ConfigMap\ndata:\n  plain: {value}\n")}]})),
        thing(json!({"patches": [{"op": "replace", "path": "/spec/containers/0/env/0/value", "value": value}]})),
        thing(
            json!({"patches": [{"op": "add", "path": "/spec/containers/0/env/-", "value": {"name": "A", "value": value}}]}),
        ),
        thing(json!({"patches": [{"op": "add", "path": "/spec/containers/0/args/-", "value": value}]})),
        thing(json!({"patches": [{"op": "add", "path": "/metadata/annotations/example.org~1plain", "value": value}]})),
        thing(json!({"values": {"podAnnotations": {"example.org/plain": value}}})),
        thing(json!({"values": format!("extraEnv: |\n  - name: PLAIN\n    value: {value}\n")})),
        thing(json!({"httpGet": {"httpHeaders": [{"name": "X-Probe", "value": value}]}})),
        thing(json!({"postBuild": {"substitute": {"plain": value}}})),
        thing(json!({"inline": {"template": template("env:", &format!("- name: A\n      value: {value}"))}})),
        thing(json!({"inline": {"template": template("args:", &format!("- serve\n    - {value}"))}})),
        thing(json!({"inline": {"template": template("annotations:", &format!("  example.org/plain: {value}"))}})),
        thing(
            json!({"inline": {"template": format!("{{{{ if .a }}}}\nkind: ConfigMap\ndata:\n  plain: {value}\n{{{{ end }}}}")}}),
        ),
    ]
}

/// Returns programs with a value in places where any value counts as a secret: HCL, CUE, KCL, Starlark, Python, Jsonnet, Go
/// templates.
fn places_in_programs(value: &str) -> Vec<Value> {
    let programs = [
        format!("container {{\n  env {{\n    name  = \"PLAIN\"\n    value = \"{value}\"\n  }}\n}}\n"),
        format!("environment = {{\n  PLAIN = \"{value}\"\n}}\n"),
        format!("args = [\"serve\", \"{value}\"]\nimage = \"x\"\n"),
        format!("annotations = {{\n  \"example.org/plain\" = \"{value}\"\n}}\n"),
        format!("env: [{{name: \"PLAIN\", value: \"{value}\"}}]\nimage: \"x\"\n_a: #Container & {{}}\n"),
        format!("env: PLAIN: \"{value}\"\n_a: #Container & {{}}\n"),
        format!("metadata: annotations: \"example.org/plain\": \"{value}\"\n_a: #Container & {{}}\n"),
        format!("schema A:\n    env = [{{name = \"PLAIN\", value = \"{value}\"}}]\n    image = \"x\"\n"),
        format!("env = [\n    {{\n        name = \"PLAIN\"\n        value = \"{value}\"\n    }}\n]\n"),
        format!("env = {{\n    PLAIN = \"{value}\"\n}}\nimport x\n"),
        format!("def f():\n  return {{\"env\": [{{\"name\": \"PLAIN\", \"value\": \"{value}\"}}]}}\n"),
        format!("def f():\n  return {{\n    \"args\": [\n      \"serve\",\n      \"{value}\",\n    ],\n  }}\n"),
        format!("c = Container(env=[EnvVar(name=\"PLAIN\", value=\"{value}\")],\n  image=\"x\")\n"),
        format!("rsp.desired['annotations'] = {{\n  'example.org/plain': '{value}',\n}}\n"),
        format!("local x = {{\n  env: [{{ name: 'PLAIN', value: '{value}' }}],\n}};\nx\n"),
        format!("{{{{- if .a }}}}\nenv: [{{name: PLAIN, value: \"{value}\"}}]\n{{{{- end }}}}\n"),
        format!("{{{{- if .a }}}}\nargs: [\"serve\", \"{value}\"]\n{{{{- end }}}}\n"),
        format!("{{{{- if .a }}}}\nenv:\n- {{name: PLAIN, value: {value}}}\n{{{{- end }}}}\n"),
        format!("{{{{- if .a }}}}\nannotations: {{example.org/plain: \"{value}\"}}\n{{{{- end }}}}\n"),
        format!("{{{{- if .a }}}}\nkind: ConfigMap\ndata:\n  plain: |\n    {value}\n    more\n{{{{- end }}}}\n"),
        format!("{{{{- if .a }}}}\nenv:\n- name: PLAIN\n  value: >-\n    {value}\n{{{{- end }}}}\n"),
        format!("{{{{- if .a }}}}\nkind: Secret\nstringData:\n  plain: {value}\n{{{{- end }}}}\n"),
    ];
    programs.map(|program| json!({"spec": {"input": {"source": program}}})).to_vec()
}

fn kept(kind: &str, mut object: Value, placeholders: &Placeholders) -> String {
    let group = if matches!(kind, "Secret" | "ConfigMap") { "" } else { "example.org" };
    let kind = ResourceKind { version: "v1".to_owned(), ..ResourceKind::guess(group, kind) };
    if object.get("metadata").is_none() {
        object["metadata"] = json!({"name": "x"});
    }
    redact(&kind, &object.to_string(), &LiteralExceptions::default(), placeholders).unwrap().json
}

#[test]
fn no_canary_is_kept_in_any_place() {
    let placeholders = Placeholders::new().unwrap();
    let (mut planted, mut found) = (0, Vec::new());
    for canary in ["c4nary-Xq7-bird", "correct-horse-canary", "canarybird", "canary/Bird+1=", "canary:bird@9"] {
        for (kind, object) in places_of_values(canary) {
            planted += 1;
            let kept = kept(kind, object, &placeholders);
            if kept.contains(canary) {
                found.push(kept);
            }
        }
    }
    for canary in ["c4nary-Xq7-bird", "canarybird"] {
        for object in places_in_programs(canary) {
            planted += 1;
            let kept = kept("Thing", object, &placeholders);
            if kept.contains(canary) {
                found.push(kept);
            }
        }
    }
    let texts: Vec<Value> = serde_json::from_str(SECRETS).unwrap();
    for text in &texts {
        let (text, hide) = (text["text"].as_str().unwrap(), text["hide"].as_str().unwrap());
        for object in places_of_texts(text) {
            planted += 1;
            let kept = kept("Thing", object, &placeholders);
            if kept.contains(hide) {
                found.push(kept);
            }
        }
    }
    assert!(planted >= 200, "{planted}");
    assert!(found.is_empty(), "{} of {planted}: {found:#?}", found.len());
}
