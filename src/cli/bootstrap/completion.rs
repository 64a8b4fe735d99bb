//! The reasons why a plan could not complete, or may not: kinds and controllers that nothing provides, and objects that
//! nothing decrypts.

use std::collections::BTreeMap;

use crate::render::words;
use ucp_core::error::{Error, Result};
use ucp_core::model::object::ObjectName;
use ucp_core::model::text::one_line;
use ucp_features::bootstrap::controller::EngineController;
use ucp_features::bootstrap::desire::DesiredState;
use ucp_features::bootstrap::missing::missing_controllers;
use ucp_features::bootstrap::plan::{self, BootstrapStep};
use ucp_features::bootstrap::provider::{self, KindProviders, PossibleProviders, UnprovidedKind};
use ucp_repo::gitops::config::NAME;

/// Number of objects and declarations that a message names.
const NAMED: usize = 5;

/// Whether a plan can complete, as far as the repository shows.
#[derive(Debug, Clone, Default)]
pub(super) struct PlanCompletion {
    /// The reasons why the plan could not complete.
    pub(super) blocked: Vec<String>,
    /// Objects that need something of which only the possible origins are known.
    uncertain: Vec<UncertainNeed>,
}

/// Objects that need a kind or a controller that something with unknown content may provide.
#[derive(Debug, Clone)]
struct UncertainNeed {
    what: String,
    objects: Vec<ObjectName>,
    possible: PossibleProviders,
}

impl PlanCompletion {
    /// Compares the needs of a plan with the declarations of the repository. `runs` returns true if the cluster has a
    /// controller.
    ///
    /// # Errors
    /// Fails when nothing installs a controller that the roots need.
    pub(super) fn of_plan(
        desire: &DesiredState,
        providers: &KindProviders,
        serves: &dyn Fn(&str, &str) -> bool,
        runs: impl Fn(EngineController) -> bool,
    ) -> Result<Self> {
        let missing = missing_controllers(desire, providers, runs);
        check_roots(&missing.of_roots)?;
        let mut completion = Self::default();
        for ((group, kind), UnprovidedKind { objects, possible }) in
            provider::unprovided_kinds(desire, providers, serves)
        {
            let what = format!("the kind {} of {}", one_line(&kind), one_line(&group));
            if !possible.is_empty() {
                completion.uncertain.push(UncertainNeed { what, objects, possible });
                continue;
            }
            let why = match group.as_str() {
                "pkg.crossplane.io" => "nothing in the repository installs Crossplane".to_owned(),
                _ => format!("nothing in the repository provides {what}"),
            };
            completion.blocked.push(format!("{why}, which is needed for {}", listed(&objects)));
        }
        let name = |controller: EngineController| format!("{} of {}", controller.as_str(), controller.engine().title());
        for (controller, objects) in missing.of_deployers {
            let why = format!("nothing in the repository installs {}", name(controller));
            completion.blocked.push(format!("{why}, which is needed for {}", listed(&objects)));
        }
        for (controller, (objects, possible)) in missing.uncertain {
            completion.uncertain.push(UncertainNeed { what: name(controller), objects, possible });
        }
        completion.blocked.extend(desire.sealed.iter().map(|object| {
            let object = words::object(object);
            format!("{object} is encrypted with SOPS and would be applied before anything can decrypt it")
        }));
        Ok(completion)
    }

    /// Returns one sentence for each need whose origin is unknown.
    pub(super) fn uncertain(&self) -> Vec<String> {
        let sentence = |UncertainNeed { what, objects, possible }: &UncertainNeed| {
            let possible: Vec<String> = possible.iter().map(|name| one_line(name).to_string()).collect();
            let needed = listed(objects);
            let may = words::join_limited(&possible, NAMED);
            format!("nothing in this repository provides {what}, which is needed for {needed}; {may} may")
        };
        self.uncertain.iter().map(sentence).collect()
    }

    /// Adds the needs whose origin is unknown to the steps of their objects.
    pub(super) fn add_to(&self, steps: &mut [BootstrapStep]) {
        for UncertainNeed { what, objects, possible } in &self.uncertain {
            plan::add_uncertainty(steps, objects, what, possible);
        }
    }
}

fn listed(objects: &[ObjectName]) -> String {
    words::join_limited(&objects.iter().map(words::object).collect::<Vec<_>>(), NAMED)
}

/// Fails when nothing installs a controller of an engine of the roots.
fn check_roots(missing: &BTreeMap<EngineController, Vec<ObjectName>>) -> Result<()> {
    let Some(first) = missing.keys().next() else { return Ok(()) };
    let of_engine = missing.keys().filter(|controller| controller.engine() == first.engine());
    let names: Vec<&str> = of_engine.map(|controller| controller.as_str()).collect();
    let (engine, names) = (first.engine().title(), names.join(", "));
    Err(Error::failed(format!(
        "nothing in the repository installs the controllers of {engine} ({names}), and they are not in the cluster"
    ))
    .hint(format!("install it, or declare its directory: 'bootstrap: {{engine: PATH}}' in {NAME}")))
}
