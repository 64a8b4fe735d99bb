//! Arguments of `set-version` and `set-image`.

use super::*;

#[test]
fn assignments_name_a_version_and_sometimes_an_image() {
    let parse = |text: &str| text.parse::<ArtifactAssignment>().map(|a| (a.image, a.version));
    let digest = format!("sha256:{}", "0a".repeat(32));
    assert_eq!(parse("echo=v1.2"), Ok((None, "v1.2".into())));
    assert_eq!(parse("echo=r:5000/a/b:v1"), Ok((Some("r:5000/a/b".into()), "v1".into())));
    assert_eq!(parse(&format!("echo=@{digest}")), Ok((None, digest.clone())));
    assert_eq!(parse(&format!("echo={digest}")), Ok((None, digest.clone())));
    assert_eq!(parse(&format!("echo=a/b@{digest}")), Ok((Some("a/b".into()), digest.clone())));
    assert_eq!(parse(&format!("echo=v1@{digest}")), Ok((None, format!("v1@{digest}"))));
    let commit = "0a".repeat(20);
    assert_eq!(parse(&format!("echo=app:{commit}")), Ok((Some("app".into()), commit)));
    assert_eq!(parse("chart=>=1.0.0 <2.0.0"), Ok((None, ">=1.0.0 <2.0.0".into())));
    assert_eq!(parse("base=feature/login"), Ok((None, "feature/login".into())));
    for wrong in ["echo", "=v1", "echo=", "echo=r.io:5000/a/b"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}
