use super::limit::HEAVIEST_RUN;
use super::*;
use serde_json::json;

fn weight_of_text_parsed(text: &str) -> usize {
    let scale = Scale::within(usize::MAX);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Value::deserialize(Weighing::new(&mut deserializer, &scale)).unwrap();
    assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
    assert_eq!(scale.weight(), weight_of(&value), "{text}");
    scale.weight()
}

#[test]
fn the_weight_of_a_parsed_value_covers_its_memory() {
    assert_eq!(weight_of_text_parsed("null"), 0);
    assert!(weight_of_text_parsed(r#"{"":0}"#) >= 640);
    let list = format!("[{}]", vec![r#"{"":0}"#; 1000].join(","));
    assert!(weight_of_text_parsed(&list) >= 1000 * (640 + 32));
    assert!(weight_of_text_parsed(&format!("[{}]", vec!["[]"; 1000].join(","))) >= 1000 * 24);
    let keys: Vec<String> = (0..1000).map(|number| format!(r#""{number}":"{number}""#)).collect();
    assert!(weight_of_text_parsed(&format!("{{{}}}", keys.join(","))) >= 1000 * (100 + 2 * 16));
    assert!(weight_of_text_parsed(&format!(r#""{}""#, "x".repeat(1 << 20))) > 1 << 20);
}

/// Parses a text as one object is.
fn one_object(text: &str) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Value::deserialize(Weighing::new(&mut deserializer, &Scale::of_object()))
}

#[test]
fn a_short_text_of_a_large_value_is_refused_in_any_form() {
    type MakeText = fn(usize) -> String;
    let shapes: [(&str, MakeText); 6] = [
        ("empty keys", |number| format!("[{}]", vec![r#"{"":0}"#; number].join(","))),
        ("maps in maps", |number| {
            format!("[{}]", vec![format!("{}0{}", r#"{"":"#.repeat(60), "}".repeat(60)); number / 60].join(","))
        }),
        ("lists in lists", |number| {
            format!("[{}]", vec![format!("{}{}", "[".repeat(60), "]".repeat(60)); number / 10].join(","))
        }),
        ("zeros", |number| format!("[{}]", vec!["0"; 8 * number].join(","))),
        ("keys", |number| {
            format!("{{{}}}", (0..4 * number).map(|key| format!("\"{key}\":0")).collect::<Vec<_>>().join(","))
        }),
        ("one text", |number| format!("\"{}\"", "x".repeat(700 * number))),
    ];
    for (shape, text) in shapes {
        let error = one_object(&text(200_000)).err().unwrap();
        assert!(matches!(Overweight::from_error(&error), Some(Overweight::Object { .. })), "{shape}: {error}");
        assert!(one_object(&text(1000)).is_ok(), "{shape}");
    }
}

#[test]
fn structs_are_weighed_and_ignored_fields_are_not() {
    #[derive(Deserialize)]
    #[serde(default)]
    #[derive(Default)]
    #[allow(dead_code, reason = "only its weight matters")]
    struct Entry {
        one: String,
        two: Option<String>,
        three: Vec<String>,
    }
    #[derive(Deserialize)]
    struct Entries {
        #[allow(dead_code, reason = "only its weight matters")]
        entries: Vec<Entry>,
    }
    let many = vec!["{}"; 400_000].join(",");
    let error = from_json::<Entries>(format!(r#"{{"entries":[{many}]}}"#).as_bytes()).err().unwrap();
    assert!(matches!(Overweight::from_error(&error), Some(Overweight::Object { mebibytes: 64 })), "{error}");
    assert!(from_json::<Entries>(format!(r#"{{"other":[{many}],"entries":[]}}"#).as_bytes()).is_ok());
}

#[test]
fn alias_bombs_are_rejected_cheaply_and_ordinary_aliases_are_read() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", ")));
    }
    for _ in 0..200 {
        assert!(from_yaml::<Value>(&bomb).is_err());
        assert!(from_yaml_documents(&bomb, yaml_options(bomb.len())).is_err());
    }
    let file = "defaults: &d {a: 1, b: [1, 2]}\none: *d\ntwo: {<<: *d, c: 3}\n";
    let value =
        json!({"defaults": {"a": 1, "b": [1, 2]}, "one": {"a": 1, "b": [1, 2]}, "two": {"a": 1, "b": [1, 2], "c": 3}});
    assert_eq!(from_yaml::<Value>(file).unwrap(), value, "files of people are read as before");
}

#[test]
fn the_weight_of_kept_values_is_limited() {
    assert_eq!(KeptWeight::reserve(HEAVIEST_RUN + 1).unwrap_err(), Overweight::Run);
    let mut kept = KeptWeight::reserve(1000).unwrap();
    let before = kept.get();
    assert_eq!(kept.grow(HEAVIEST_RUN), Err(Overweight::Run));
    assert_eq!(kept.get(), before);
    kept.join(KeptWeight::reserve(10).unwrap());
    assert_eq!((kept.get(), kept.clone().get()), (1010, 1010));
    assert_eq!(
        Overweight::from_error(&<serde_json::Error as serde::de::Error>::custom(Overweight::Run)),
        Some(Overweight::Run)
    );
}
