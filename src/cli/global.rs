//! Global flags, with the names and meanings of kubectl.
//!
//! kubectl rejects flags before a plugin's name, so all of them are accepted anywhere on the command line.

use clap::Args;
use colorchoice_clap::Color;

use crate::render::OutputFormat;
use crate::ui::Volume;
use crate::ui::pager::PagingMode;
use ucp_core::failure::Failure;

/// Which objects to read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Selection")]
pub struct ScopeArgs {
    /// Only this namespace, and cluster-scoped objects
    #[arg(short, long, global = true, value_name = "NAME")]
    pub namespace: Option<String>,
    /// All namespaces; this is the default, and overrides -n
    #[arg(short = 'A', long, global = true, hide_short_help = true)]
    pub all_namespaces: bool,
    /// Only objects that match this label selector, as for kubectl
    #[arg(short = 'l', long, global = true, value_name = "SELECTOR", hide_short_help = true)]
    pub selector: Option<String>,
}

impl ScopeArgs {
    /// Makes `-n X -A` select all namespaces, as in kubectl.
    pub(super) fn settle(&mut self) {
        if self.all_namespaces {
            self.namespace = None;
        }
    }
}

/// In which form to print.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// table, wide, json, yaml, name, markdown, html, jsonpath=TEMPLATE or custom-columns=SPEC
    #[arg(short, long, global = true, value_name = "FORMAT", default_value = "table", hide_default_value = true, value_parser = format)]
    pub output: OutputFormat,
    /// Omit the header line of tables and custom columns
    #[arg(long, global = true, hide_short_help = true)]
    pub no_headers: bool,
    /// Print the RBAC roles that this command needs, and exit
    #[arg(long, global = true, hide_short_help = true)]
    pub print_rbac: bool,
    /// Print data and errors only: no progress, notes or warnings
    #[arg(short, long, global = true, hide_short_help = true)]
    pub quiet: bool,
    /// Do not send long output to a pager ($PAGER, or less)
    #[arg(long, global = true, hide_short_help = true)]
    pub no_pager: bool,
    /// When to use colors; NO_COLOR also turns them off
    #[command(flatten)]
    pub color: Color,
}

/// Parses an output format. Templates may be in files.
fn format(text: &str) -> Result<OutputFormat, Failure> {
    OutputFormat::parse(text, |path| std::fs::read_to_string(path))
}

impl OutputArgs {
    /// Returns the volume of messages other than data.
    pub fn volume(&self) -> Volume {
        if self.quiet { Volume::Quiet } else { Volume::Normal }
    }

    /// Returns when a pager may be started.
    pub fn paging(&self) -> PagingMode {
        if self.no_pager { PagingMode::Never } else { PagingMode::AsNeeded }
    }
}
