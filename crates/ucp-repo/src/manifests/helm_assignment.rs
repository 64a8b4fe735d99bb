//! Parameters of Applications as arguments of helm. helm parses `--set`, `--set-string` and `--set-file` as a list of
//! assignments, so that a name or a value could hold further ones: with `--set-file`, files of this machine.

use std::path::Path;

use crate::manifests::reach::RenderError;

/// Maximum nesting of a name; helm has the same limit for names with dots.
const DEEPEST: usize = 30;

/// Returns the argument that assigns a value, with its commas escaped as Argo CD does.
///
/// # Errors
/// Fails when helm would read other assignments than this one.
pub(super) fn of_value(name: &str, value: &str) -> Result<String, RenderError> {
    check_name(name)?;
    let value = escape_commas(value);
    match is_one_value(&value) {
        true => Ok(format!("{name}={value}")),
        false => Err(RenderError::Broken(format!("its parameter {name:?} sets more than one value: helm was not run"))),
    }
}

/// Returns the argument that assigns the content of a file.
///
/// # Errors
/// Fails when helm would read other assignments than this one.
pub(super) fn of_file(name: &str, path: &Path) -> Result<String, RenderError> {
    check_name(name)?;
    let path = path.display().to_string().replace('\\', r"\\").replace(',', r"\,");
    Ok(format!("{name}={path}"))
}

/// Fails unless helm reads a text in front of `=` as one name.
fn check_name(name: &str) -> Result<(), RenderError> {
    let (mut letters, mut depth) = (name.chars(), 0);
    while let Some(letter) = letters.next() {
        let is_part = match letter {
            '\\' => letters.next().is_some(),
            ',' | '=' => false,
            '.' | '[' => {
                depth += 1;
                depth <= DEEPEST
            }
            _ => true,
        };
        if !is_part {
            return Err(RenderError::Broken(format!("{name:?} is not a name of one parameter: helm was not run")));
        }
    }
    Ok(())
}

/// Returns true if helm reads a text as one value, or as one list in braces.
fn is_one_value(value: &str) -> bool {
    let is_list = value.starts_with('{');
    let mut letters = value.chars().skip(usize::from(is_list));
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            ',' if !is_list => return false,
            '}' if is_list => return letters.next().is_none(),
            _ => {}
        }
    }
    true
}

/// Escapes the commas of a parameter's value as Argo CD does, so that helm reads one value. Commas that are already
/// escaped and lists in braces stay as they are.
fn escape_commas(value: &str) -> String {
    if value.starts_with('{') && value.ends_with('}') {
        return value.to_owned();
    }
    let mut escaped = String::with_capacity(value.len());
    let mut previous = None;
    for letter in value.chars() {
        if letter == ',' && previous != Some('\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
        previous = Some(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_in_a_parameter_starts_no_second_value() {
        let expected = [
            ("", ""),
            ("x,y=z", r"x\,y=z"),
            (",,", r"\,\,"),
            (r"x\,y,z", r"x\,y\,z"),
            ("{x,y}", "{x,y}"),
            (r"{x\}y,z}", r"{x\}y,z}"),
            ("{x", "{x"),
            ("{", "{"),
            ("ü,ö", r"ü\,ö"),
            (r"C:\dir\", r"C:\dir\"),
        ];
        for (value, escaped) in expected {
            assert_eq!(of_value("a", value), Ok(format!("a={escaped}")), "{value}");
        }
    }

    #[test]
    fn a_value_cannot_contain_another_assignment() {
        for value in [r"x\\,b=c", "{x},b={y}", "{x}b=c", "{x},y", r"{x\\},b={c}", r"x\\\\,b"] {
            assert!(of_value("a", value).is_err(), "{value}");
        }
    }

    #[test]
    fn a_name_cannot_contain_another_assignment() {
        for name in ["a", "a.b[0].c", r"annotations.kubernetes\.io/x", r"a\,b", r"a\=b", "--post-renderer", "ä", ""] {
            assert_eq!(of_value(name, "v"), Ok(format!("{name}=v")), "{name}");
            assert_eq!(of_file(name, Path::new("/v")), Ok(format!("{name}=/v")), "{name}");
        }
        let deep = ["a[0]".to_owned() + &"[0]".repeat(30), "a.".repeat(31) + "a"];
        for name in ["a=/etc/passwd,b", "a,b", "a=", r"a\", r"a\\\", r"a\\,b", "a[0,b", &deep[0], &deep[1]] {
            assert!(of_value(name, "v").is_err() && of_file(name, Path::new("/v")).is_err(), "{name}");
        }
    }

    #[test]
    fn a_path_with_separators_is_escaped_as_a_single_file() {
        for (path, argument) in [
            ("/tree/a,b=/etc/passwd", r"k=/tree/a\,b=/etc/passwd"),
            (r"/tree/a\,b=/etc/passwd", r"k=/tree/a\\\,b=/etc/passwd"),
            (r"/tree/a\\", r"k=/tree/a\\\\"),
        ] {
            assert_eq!(of_file("k", Path::new(path)), Ok(argument.to_owned()));
        }
    }
}
