//! JSON, TOML, and `KEY=VALUE` in all styles: only the bytes of the version change. `§` is the version.

use super::variants::check;

/// Styles common to all formats: line endings, a byte order mark, no final newline, empty lines, trailing spaces.
const TEXTS: [fn(&str) -> String; 6] = [
    |text| text.to_owned(),
    |text| text.replace('\n', "\r\n"),
    |text| format!("\u{feff}{text}"),
    |text| text.trim_end().to_owned(),
    |text| text.trim_end().replace('\n', "\r\n"),
    |text| format!("\n\n{text}\n\n"),
];

fn each(name: &str, samples: &[&str], styles: &[fn(&str) -> String]) {
    for sample in samples {
        for style in styles {
            for text in TEXTS {
                check(name, None, &text(&style(sample)));
            }
        }
    }
}

#[test]
fn json() {
    let samples = [
        "{\n  \"image\": {\"repository\": \"a/b\", \"tag\": \"§\"}\n}\n",
        "{\n  \"image\": \"a.b:5000/c:§\"\n}\n",
        "{\n  \"api\": {\n    \"dev\": \"§\",\n    \"prod\": \"v1.0.0\"\n  }\n}\n",
        "{\n  \"list\": [\n    {\"name\": \"x\", \"image\": \"a/b:§\"}\n  ]\n}\n",
        "[\n  {\n    \"chartVersion\": \"§\",\n    \"chart\": \"a\"\n  }\n]\n",
        "{\n  \"base\": \"https://github.com/o/r//deploy?ref=§\"\n}\n",
    ];
    let styles: [fn(&str) -> String; 9] = [
        |text| text.to_owned(),
        |text| text.replace("  ", "\t"),
        |text| text.replace("\": ", "\" :\t"),
        |text| text.replace("\": ", "\":"),
        |text| text.replace('\n', " "),
        |text| text.replace("\n  ", "\n        "),
        |text| text.replace(": \"a/b\"", ": \"a\\/b\""),
        |text| {
            text.replacen(
                '{',
                "{\"gr\\u00fc\\\"\\\\\": \"\\uD83E\\uDD80 \\n\\t/\", \"n\": [1, 2.5e3, true, null, {}], ",
                1,
            )
        },
        |text| text.replacen('{', "{\"twice\": 1, \"twice\": 2, ", 1),
    ];
    each("a.json", &samples, &styles);
}

#[test]
fn toml() {
    let samples = [
        "[image]\nrepository = \"a/b\"\ntag = \"§\"\n",
        "image = { repository = \"a/b\", tag = \"§\" }\n",
        "image.tag = \"§\"\n",
        "[[tools]]\nname = \"x\"\nversion = \"§\"\n[[tools]]\nname = \"y\"\n",
        "[a.\"b.c\"]\nimage = \"r.io:5000/x:§\"\n",
        "[tools]\ngrafana_version = \"§\"\n",
    ];
    let styles: [fn(&str) -> String; 11] = [
        |text| text.to_owned(),
        |text| {
            format!(
                "day = 1979-05-27\nclock = 07:32:00.5\nlocal = 1979-05-27T07:32:00\nat = 1979-05-27 07:32:00+01:00\n{text}"
            )
        },
        |text| format!("nan = nan\ninf = -inf\nbits = 0b1101\n{text}"),
        |text| text.replace('"', "'"),
        |text| text.replace(" = ", "="),
        |text| text.replace(" = ", "\t=\t"),
        |text| text.replace("§\"\n", "§\" # why \"'{}\n"),
        |text| format!("# grüße [x]\n{text}"),
        |text| format!("first = \"\"\"\nversion = \"v0\"\n\"\"\"\n{text}"),
        |text| format!("{text}[last]\nlist = [\n  1, # one\n  2,\n]\n"),
        |text| format!("zz = 1\nzy = 0x1F\n{text}"),
    ];
    // A value in its own file must remain in its table.
    each("a.toml", &samples, &styles);
}

#[test]
fn lines_of_keys_and_values() {
    let samples = ["SHOP_VERSION=§\n", "A=1\nSHOP_IMAGE=r.io:5000/a/b:§\nB=2\n", "shop.image.tag=§\n", "SHOP_TAG=§\n"];
    let styles: [fn(&str) -> String; 14] = [
        |text| text.to_owned(),
        |text| text.replace("SHOP", "export SHOP"),
        |text| text.replace("SHOP", "  SHOP"),
        |text| text.replace("SHOP", "\tSHOP"),
        |text| text.replace("=§", "=\"§\"").replace("=r.io:5000/a/b:§", "=\"r.io:5000/a/b:§\""),
        |text| text.replace("=§", "='§'").replace("=r.io:5000/a/b:§", "='r.io:5000/a/b:§'"),
        |text| text.replace("§\n", "§ # why 'a' \"b\" =c\n"),
        |text| text.replace("=§", "=\"§\"").replace("\"\n", "\"\t# tab\n"),
        |text| text.replace("§\n", "§   \n"),
        |text| format!("# a comment = x\n; another\n{text}"),
        |text| format!("TWICE=1\nTWICE=2\n{text}"),
        |text| format!("EMPTY=\nURL=https://a.b/c?d=e#f\nJSON='{{\"a\": \"b\"}}'\n{text}"),
        |text| format!("REF=${{OTHER}}\nSUB=$(date)\n{text}"),
        |text| format!("{text}# the end, no newline"),
    ];
    for name in ["a.env", ".env", ".env.prod", "a.properties", "versions"] {
        each(name, &samples, &styles);
    }
}

#[test]
fn yaml_in_a_file_that_is_called_env() {
    for text in ["SHOP_TAG: \"§\"\nURL: https://a.b\n", "SHOP_TAG: § # why\nLIST: [1]\n", "SHOP_IMAGE: r.io/a:§\n"] {
        for around in TEXTS {
            check("prod.env", None, &around(text));
        }
    }
}
