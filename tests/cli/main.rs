//! The command line as users see it, one file a command, in one binary.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod action;
mod adopt_cluster;
mod adopt_endpoint;
mod adopt_neighbours;
mod adopt_permissions;
mod adopt_sources;
mod adopt_trouble;
mod adopted;
mod any;
mod bootstrap;
mod browser;
mod capture;
mod cases;
mod cast;
mod causes;
mod ci_page;
mod clusters;
mod command_lists;
mod comparison;
mod completion;
mod conflicts;
mod controllers;
mod discretion;
mod doctor;
mod drift;
mod effective_versions;
mod envtest;
mod explain;
mod failing_reads;
mod far;
mod flags;
mod fleet;
mod freshness;
mod gitops;
mod granted;
mod growth;
mod guarded;
mod health;
mod health_rules;
mod help;
mod history;
#[cfg(unix)]
mod hostile_clusters;
mod hostile_repositories;
mod hostile_servers;
mod house;
mod html;
mod images;
mod import;
mod import_offline;
mod installation;
mod interrupted;
mod krew;
mod kubeconfig;
mod kubectl_get;
mod language;
mod layouts;
mod mcp;
mod more_engines;
mod naming;
mod new_service;
mod packages;
mod pager;
mod pages;
mod permissions;
mod pickers;
mod pictures;
mod pipeline;
mod plan;
mod progress;
mod promote;
mod promotion_gates;
mod promotion_pairs;
mod pull_requests;
mod push;
mod reader;
mod real;
mod release;
mod release_cluster;
mod remains;
mod replay;
mod resources;
mod resources_as_kubectl;
mod reused_servers;
mod running_elsewhere;
mod secrecy;
mod secrets;
mod set_image;
mod set_version;
mod set_version_artifacts;
mod set_version_by_name;
mod set_version_in_files;
mod set_version_likeness;
mod shells;
mod snapshot_explain;
mod snapshot_serve;
mod snapshots;
mod sources;
mod sources_of_doctor;
mod sources_of_teardown;
mod sources_of_trees;
mod status;
mod teardown;
mod teardown_admission;
mod teardown_argocd;
mod teardown_doubts;
mod teardown_kinds;
mod teardown_script;
mod teardown_settings;
mod teardown_stays;
mod templates;
mod terminal;
mod tree;
mod ui;
mod ui_views;
mod unproven;
mod upgrades;
mod version;
mod version_doubts;
mod wait;
mod watch;
mod weather;
mod web;
mod whole_secrecy;
mod workflows;

/// A file that no `mod` line names would never run.
#[test]
fn no_test_file_is_forgotten() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli");
    let declared = include_str!("main.rs");
    for entry in std::fs::read_dir(directory).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.strip_suffix(".rs").unwrap_or(&name);
        let line = format!("\nmod {module};\n");
        assert!(module == "main" || declared.contains(&line), "{name} is not declared in main.rs");
    }
}
