//! `cargo bench --bench snapshots`: large snapshots of a core cluster, as kubectl writes them, in every form that `--from`
//! takes. The memory is compared with the size of the file: it contains the shown objects, not all input.

#![allow(clippy::print_stdout, reason = "a bench talks to a person")]

#[path = "measure.rs"]
mod measure;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser;
use comfy_table::{Table, presets};
use measure::{median, run};
use serde_json::{Value, json};

/// Reads large snapshots
#[derive(Parser)]
struct Arguments {
    /// Size of the list in JSON, in MB; other forms hold the same objects
    #[arg(long, default_value_t = 500)]
    size: usize,
    /// Number of objects in each hundred that `status` and `resources` show; the others are ConfigMaps
    #[arg(long, default_value_t = 10)]
    shown: usize,
    /// How often each command is run; the median counts
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Another build of the plugin to measure, such as the one before a change
    #[arg(long, default_value = env!("CARGO_BIN_EXE_kubectl-ucp"))]
    plugin: PathBuf,
    /// Leave out YAML, which takes minutes
    #[arg(long)]
    without_yaml: bool,
    /// As cargo passes it
    #[arg(long, hide = true)]
    bench: bool,
    /// A child process writes the files: a process inherits the peak memory of its parent
    #[arg(long, hide = true)]
    fill: Option<PathBuf>,
}

/// Peak memory as a part of the largest form's size, where one in ten objects is shown, without the program itself: of
/// 500 MB, 40 MB with it.
const ALLOWED: f64 = 0.04;
/// The memory of the program for the smallest snapshot, in bytes.
const PROGRAM: u64 = 20_000_000;

/// An object of about ten kilobytes, half of it managed fields.
fn object(number: usize, is_shown: bool) -> Value {
    let text = |prefix: &str| {
        let field = |field: usize| (format!("{prefix}{field}"), json!(format!("value of setting {field} of {number}")));
        (0..24).map(field).collect::<serde_json::Map<_, _>>()
    };
    let fields: serde_json::Map<_, _> = (0..24).map(|field| (format!("f:setting{field}"), json!({}))).collect();
    let managed = |manager: &str| {
        json!({
            "apiVersion": "v1", "fieldsType": "FieldsV1", "manager": manager, "operation": "Update",
            "time": "2026-11-20T09:00:00Z", "fieldsV1": {"f:spec": {"f:forProvider": fields}, "f:status": {"f:atProvider": fields}},
        })
    };
    let metadata = json!({
        "name": format!("thing-{number}"), "namespace": "team-a", "creationTimestamp": "2026-11-20T09:00:00Z",
        "uid": format!("00000000-0000-4000-8000-{number:012}"), "managedFields": [managed("one"), managed("two")],
    });
    if !is_shown {
        return json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": text("key")});
    }
    let condition = |kind: &str| json!({"type": kind, "status": "True", "reason": "Available", "lastTransitionTime": "2026-11-20T09:00:00Z"});
    json!({
        "apiVersion": "ec2.example.org/v1beta1", "kind": "Instance", "metadata": metadata,
        "spec": {"forProvider": text("setting"), "providerConfigRef": {"name": "default"}},
        "status": {"atProvider": text("setting"), "conditions": [condition("Ready"), condition("Synced")]},
    })
}

/// Writes every form.
fn fill(directory: &Path, arguments: &Arguments) -> io::Result<()> {
    let create = |name: &str| File::create(directory.join(name)).map(BufWriter::new);
    let mut list = create("list.json")?;
    list.write_all(b"{\n\"apiVersion\": \"v1\",\n\"items\": [\n")?;
    let mut yaml = match arguments.without_yaml {
        true => None,
        false => Some((create("list.yaml")?, create("documents.yaml")?)),
    };
    if let Some((list, _)) = &mut yaml {
        list.write_all(b"apiVersion: v1\nitems:\n")?;
    }
    let below = directory.join("directory");
    std::fs::create_dir(&below)?;
    let (mut written, mut number, mut part) = (0, 0, Vec::new());
    while written < arguments.size * 1_000_000 {
        let object = object(number, number % 100 < arguments.shown);
        let text = serde_json::to_string_pretty(&object)?;
        list.write_all(if number == 0 { b"" } else { b",\n" })?;
        list.write_all(text.as_bytes())?;
        written += text.len();
        if let Some((list, documents)) = &mut yaml {
            let text = serde_saphyr::to_string(&object).map_err(io::Error::other)?;
            for (index, line) in text.lines().enumerate() {
                writeln!(list, "{} {line}", if index == 0 { '-' } else { ' ' })?;
            }
            write!(documents, "---\n{text}")?;
        }
        part.push(object);
        number += 1;
        let is_last = written >= arguments.size * 1_000_000;
        if part.len() == 1000 || is_last {
            let text = json!({"apiVersion": "v1", "kind": "List", "items": part.split_off(0)}).to_string();
            std::fs::write(below.join(format!("{number}.json")), text)?;
        }
    }
    list.write_all(b"\n],\n\"kind\": \"List\"\n}\n")?;
    if let Some((list, _)) = &mut yaml {
        list.write_all(b"kind: List\n")?;
    }
    let mut archive = Command::new("tar");
    archive.arg("-C").arg(directory).arg("-czf").arg(directory.join("archive.tar.gz")).arg("directory");
    run(&mut archive, 0);
    Ok(())
}

fn size(path: &Path) -> u64 {
    let of = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| of(&entry.path())).sum(),
        Err(_) => of(path),
    }
}

fn main() {
    let arguments = Arguments::parse();
    if let Some(directory) = &arguments.fill {
        return fill(directory, &arguments).expect("the snapshots are written");
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut child = Command::new(std::env::current_exe().expect("this program has a path"));
    child.arg("--fill").arg(directory.path());
    child.args(["--size", &arguments.size.to_string(), "--shown", &arguments.shown.to_string()]);
    if arguments.without_yaml {
        child.arg("--without-yaml");
    }
    run(&mut child, 0);

    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(["snapshot", "size", "command", "wall", "CPU", "peak memory"]);
    let largest = size(&directory.path().join("list.json"));
    let mut worst = 0;
    for form in ["list.json", "list.yaml", "documents.yaml", "directory", "archive.tar.gz"] {
        let path = directory.path().join(form);
        if !path.exists() {
            continue;
        }
        for command in ["resources", "status"] {
            // All of it is read, and nothing in it is wrong.
            let once = || run(Command::new(&arguments.plugin).args([command, "--from"]).arg(&path), 0);
            let cost = median((0..arguments.runs).map(|_| once()).collect());
            worst = worst.max(cost.memory);
            table.add_row([
                form.to_owned(),
                format!("{:.0} MB", size(&path) as f64 / 1e6),
                command.to_owned(),
                format!("{:.1} s", cost.wall.as_secs_f64()),
                format!("{:.1} s", cost.cpu.as_secs_f64()),
                format!("{:.1} MB", cost.memory as f64 / 1e6),
            ]);
        }
    }
    println!("{table}");
    let part = worst.saturating_sub(PROGRAM) as f64 / largest as f64;
    println!("at most {} MB and {part:.2} of the list's size", PROGRAM / 1_000_000);
    assert!(arguments.shown > 10 || part <= ALLOWED, "promised: at most {ALLOWED} where one in ten is shown");
}
