//! `KUBECTL_EXTERNAL_DIFF`: the diff program of the user's choice, called as `kubectl diff` calls it: with two
//! directories that contain a file for each object.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

use crate::render::drift::yaml_sides;
use crate::report::drift::DriftReport;
use ucp_core::error::{Error, Result};
use ucp_core::model::object::ObjectName;
use ucp_core::scratch::Scratch;

/// The environment variable of kubectl: a program and its arguments.
const VARIABLE: &str = "KUBECTL_EXTERNAL_DIFF";

/// Returns the program that the user chose, if any.
pub(super) fn configured_program() -> Option<String> {
    std::env::var(VARIABLE).ok().filter(|program| !program.trim().is_empty())
}

/// Runs the program on both sides of every difference. It writes to the same standard output.
///
/// # Errors
/// Fails when it cannot be started, or exits with a code other than 0 or 1.
pub(super) fn run(program: &str, report: &DriftReport) -> Result<()> {
    // Only its owner can enter it, since the objects may be confidential.
    let directory = Scratch::new().context("no temporary directory")?;
    let sides = ["OBSERVED", "DECLARED"].map(|side| directory.path().join(side));
    for side in &sides {
        std::fs::create_dir(side).with_context(|| format!("{} cannot be created", side.display()))?;
    }
    let with_fields = report.items.iter().filter_map(|item| Some((&item.object, item.sides.as_ref()?)));
    for (number, (object, both)) in with_fields.enumerate() {
        for (side, text) in sides.iter().zip(yaml_sides(both)) {
            write(&side.join(file_name(number, object)), &text)?;
        }
    }
    let mut words = program.split_whitespace();
    let command = words.next().unwrap_or_default();
    let status = Command::new(command)
        .args(words.filter(|word| is_allowed_argument(word)))
        .args(&sides)
        .status()
        .map_err(|error| Error::failed(format!("{VARIABLE}: '{command}' cannot be started: {error}")))?;
    match status.code() {
        Some(0 | 1) => Ok(()),
        _ => Err(Error::failed(format!("{VARIABLE}: '{command}' failed with {status}"))),
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(())
}

/// Returns kubectl's file name for an object, with a number in front that makes it unique and keeps the order.
fn file_name(number: usize, object: &ObjectName) -> String {
    let parts = [
        object.api_version.replace('/', "."),
        object.kind.clone(),
        object.namespace.clone().unwrap_or_default(),
        object.name.clone(),
    ];
    let name: String = parts
        .join(".")
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() || "-_.".contains(character) { character } else { '_' })
        .take(200)
        .collect();
    format!("{number:05}.{name}")
}

/// Returns true for the arguments that kubectl accepts.
fn is_allowed_argument(word: &str) -> bool {
    word.chars().all(|character| character.is_ascii_alphanumeric() || "-=".contains(character))
}
