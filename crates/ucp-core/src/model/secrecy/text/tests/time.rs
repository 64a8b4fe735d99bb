//! Time of searches, and characters that might break them.

use super::*;

#[test]
fn long_texts_take_no_longer_than_they_are_long() {
    for unit in [
        "{[",
        "password:\n  ",
        "a=b ",
        "\\\"",
        "%41",
        "'\"",
        "AbC1",
        "- password: x\n",
        "x@y:",
        "||",
        "{\"a\":",
        "token is ",
        "--p ",
        "secret=db ",
        "data.a: Invalid value: 1 ",
        "Secret/a data.a: x ",
        "value=x ",
        "cookie:",
        "authorization:",
        "authorization: ",
        "a: ",
        "token=a",
        "://",
        "a://b@",
        "password(",
        "password<",
        "password[",
        "(\"password\",\"",
        "[[\"password\",\"",
        "PSCredential(",
        "PSCredential(\"a\",",
        "<password>",
        "<a name=\"password\"",
        "<key>password</key><string>",
        "<a value=\"x\" ",
        "</",
        "password,a\n",
        "password|a\n",
        "a  password\n",
        "INSERT INTO a (password) VALUES (",
        "INSERT INTO a(password) VALUES ",
        "net use ",
        "net use \\\\a /user:",
        "echo a |",
        "echo a ",
        "AUTH a ",
        "mysql ",
        "curl ",
        "snmpx ",
        "password=<<A\n",
        "password: <<A ",
        "? password\n: ",
        "password:\na\n",
        "password: [a,",
        "passwords: a, ",
        "passphrase: a b c ",
        "password: Some(",
        "password=\"\"\"",
        "password: string(9) ",
        "&quot;",
        "&amp;amp;",
        "%2525",
        "\u{a0}",
        "а",
        "пароль: ",
        "密码",
        "6162",
        "70617373776f72643d61",
        "on >a ",
        "on a ",
        "on a >",
        "set a_b ",
        "code=a&",
        "code=",
        "login a:",
        "user/password a/",
        "credentials ",
        "password for a is ",
        "password ~ ",
        "token,",
        "key ",
        "secret \"a\" ",
        "--from-literal=a=",
        "openssl x ",
        "sqlplus a/",
        "data: {",
        "kind: Secret\ndata: {a: b}\n",
        "data:\n",
        "variable \"password\" {default=",
        "s:1:\"password\";",
        "-----BEGIN PRIVATE KEY-----",
        "password=\n",
        "password               ",
        ":               ",
        "name: password\nvalue: ",
        "key=a value=",
        "op: a value: ",
        "UnwBCD12",
        "IDENTIFIED BY ",
        "ENV A_TOKEN ",
        "'echo ",
        "\u{1b}]",
        "\u{1b}[",
        "[0",
        "{\"a\":\"",
        "{a=",
        "{password:",
        "data:{",
        "kind:Secret data:map[",
        "name: a, ",
        "key=password a=b ",
        "value=a key=",
        "password: (a)(len=",
        "password for a ",
        "password\n input=",
        "AKIAIOSFODNN7EXAMPLE/",
        "a://b:c",
        "a:b@(",
        " a: b\n",
    ] {
        let time = |count: usize| {
            let text = unit.repeat(count);
            let begun = std::time::Instant::now();
            scrub(&text);
            begun.elapsed().as_secs_f64()
        };
        // Eight times as long; the square would be 64. A busy machine may interrupt one measurement.
        let mut ratios = std::iter::repeat_with(|| time(2_000) / time(250).max(0.005)).take(4);
        assert!(ratios.any(|ratio| ratio < 30.0), "{unit:?}");
    }
}

#[test]
fn characters_of_several_bytes_around_names_are_no_matter() {
    for around in ["\u{1b}[32ü", "ü", "\u{37e}", "\u{a0}", "密", "🔑"] {
        for text in
            ["{value: x}", "api key: x1", "data.a: Invalid value: \"x\"", "https://u:x@h", "(data=x)", "password(x)"]
        {
            for text in
                [format!("{around}{text}"), format!("{around} {text}{around}"), format!("a{around}b{around}{text}")]
            {
                scrub(&text);
            }
        }
    }
}
