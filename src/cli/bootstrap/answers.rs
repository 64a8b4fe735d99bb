//! Values of Secrets from files, standard input, the environment, or a prompt. They are never passed as arguments.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::str::FromStr;

use anyhow::Context as _;
use secrecy::{ExposeSecret as _, SecretSlice};

use crate::cli::Context;
use crate::ui::Interaction;
use ucp_core::error::{Error, Result};
use ucp_core::failure::Failure;
use ucp_features::adopt::names::NamespacedName;
use ucp_features::bootstrap::demand::{RequiredSecret, secret_name};
use ucp_features::bootstrap::{BootstrapAction, BootstrapStep, Wave};

/// The values of one Secret, by key.
pub(super) type SecretValues = BTreeMap<String, SecretSlice<u8>>;

/// A flag value `NAMESPACE/NAME[:KEY]=PATH` or `NAMESPACE/NAME[:KEY]=VARIABLE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SecretSourceFlag {
    secret: NamespacedName,
    key: Option<String>,
    place: String,
}

impl FromStr for SecretSourceFlag {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let form = || "it is not NAMESPACE/NAME[:KEY]=… of a Secret".to_owned();
        let (name, place) = text.split_once('=').ok_or_else(form)?;
        let (name, key) = match name.split_once(':') {
            Some((name, key)) => (name, Some(key.to_owned())),
            None => (name, None),
        };
        if place.is_empty() || key.as_ref().is_some_and(String::is_empty) {
            return Err(form().into());
        }
        Ok(Self { secret: secret_name(name).ok_or_else(form)?, key, place: place.to_owned() })
    }
}

/// Where values come from.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Secrets")]
pub(super) struct SecretArgs {
    /// Read the values of a missing Secret from a file, or from standard input with -; may be repeated
    ///
    /// KEY may be omitted if the object that refers to the Secret names the key.
    #[arg(long, value_name = "NAMESPACE/NAME[:KEY]=PATH")]
    secret_file: Vec<SecretSourceFlag>,
    /// Read the value of a missing Secret from an environment variable; may be repeated
    #[arg(long, value_name = "NAMESPACE/NAME[:KEY]=VARIABLE", hide_short_help = true)]
    secret_env: Vec<SecretSourceFlag>,
}

/// The source of one required value.
enum SecretValueSource<'a> {
    File(&'a Path),
    Variable(&'a str),
    Person,
}

/// The values to read, resolved before anything is written.
pub(super) struct ResolvedSecretSources<'a> {
    wanted: Vec<(&'a RequiredSecret, Option<String>, SecretValueSource<'a>)>,
}

impl SecretArgs {
    /// Resolves a source for every required value.
    ///
    /// # Errors
    /// Returns a usage error for a value without a source, or for a given Secret that is not required.
    pub(super) fn resolve_sources<'a>(
        &'a self,
        demands: &'a [RequiredSecret],
        steps: &[BootstrapStep],
        who: Interaction,
    ) -> Result<ResolvedSecretSources<'a>> {
        let asked = |demand: &RequiredSecret| {
            let object = demand.secret.secret();
            steps.iter().find(|step| step.wave == Wave::Secrets && step.object == object)
        };
        let given = || {
            let files = self.secret_file.iter().map(|one| (one, SecretValueSource::File(Path::new(&one.place))));
            files.chain(self.secret_env.iter().map(|one| (one, SecretValueSource::Variable(&one.place))))
        };
        for (one, _) in given() {
            if !demands.iter().any(|demand| demand.secret == one.secret) {
                let known: Vec<String> = demands.iter().map(|demand| demand.secret.to_string()).collect();
                let known = if known.is_empty() { "none is".to_owned() } else { known.join(", ") };
                return Err(Error::usage(format!("Secret {} is not required", one.secret)).hint(format!(
                    "required Secrets: {known}; add more with 'bootstrap: {{secrets: […]}}' in .ucp.yaml"
                )));
            }
        }
        if given().filter(|(one, source)| matches!(source, SecretValueSource::File(_)) && one.place == "-").count() > 1
        {
            return Err(Error::usage("only one Secret can come from standard input"));
        }
        let mut settled = ResolvedSecretSources { wanted: Vec::new() };
        for demand in demands {
            let Some(step) = asked(demand).filter(|step| step.writes()) else { continue };
            let mut open = step.keys.clone();
            let mut any = false;
            for (one, source) in given().filter(|(one, _)| one.secret == demand.secret) {
                let key = match (&one.key, step.keys.as_slice()) {
                    (Some(key), _) => key.clone(),
                    (None, [key]) => key.clone(),
                    (None, keys) => {
                        let name = &one.secret;
                        let which = if keys.is_empty() {
                            "its key is not declared".to_owned()
                        } else {
                            format!("it has keys {}", keys.join(", "))
                        };
                        return Err(Error::usage(format!("Secret {name} needs a key: {which}"))
                            .hint(format!("name it: {name}:KEY=…")));
                    }
                };
                any = true;
                open.retain(|known| *known != key);
                settled.wanted.push((demand, Some(key), source));
            }
            if open.is_empty() && (any || step.action != BootstrapAction::Ask) {
                continue;
            }
            if who == Interaction::Unattended {
                let key = open.first().map(String::as_str);
                // A flag with its key would be taken for a secret and hidden.
                return Err(Error::usage(format!("no value for Secret {}", shown(&demand.secret, key)))
                    .hint("pass --secret-file NAMESPACE/NAME:KEY=PATH, - for standard input, or --secret-env"));
            }
            match open.is_empty() {
                true => settled.wanted.push((demand, None, SecretValueSource::Person)),
                false => {
                    settled.wanted.extend(open.into_iter().map(|key| (demand, Some(key), SecretValueSource::Person)))
                }
            }
        }
        Ok(settled)
    }
}

impl ResolvedSecretSources<'_> {
    /// Reads every value.
    ///
    /// # Errors
    /// Fails when a file or variable cannot be read, or when the user cancels. Errors contain no value.
    pub(super) fn read(self, context: &Context) -> Result<BTreeMap<NamespacedName, SecretValues>> {
        let mut answers: BTreeMap<NamespacedName, SecretValues> = BTreeMap::new();
        for (demand, key, source) in self.wanted {
            let values = answers.entry(demand.secret.clone()).or_default();
            let Some(key) = key else {
                let question = format!("Keys of Secret {}, separated by commas:", demand.secret);
                let keys =
                    context.ui.ask(&question, |text| split_keys(text).is_empty().then(|| "it needs one".to_owned()))?;
                for key in split_keys(&keys) {
                    let value = ask(context, demand, &key)?;
                    values.insert(key.clone(), not_empty(value, demand, &key)?);
                }
                continue;
            };
            let value = match source {
                SecretValueSource::File(path) => read_file(path, &shown(&demand.secret, Some(&key)))?,
                SecretValueSource::Variable(name) => read_variable(name, &shown(&demand.secret, Some(&key)))?,
                SecretValueSource::Person => ask(context, demand, &key)?,
            };
            let value = not_empty(value, demand, &key)?;
            values.insert(key, value);
        }
        Ok(answers)
    }
}

/// Splits a comma-separated list of keys.
fn split_keys(text: &str) -> Vec<String> {
    text.split(',').map(|key| key.trim().to_owned()).filter(|key| !key.is_empty()).collect()
}

fn ask(context: &Context, demand: &RequiredSecret, key: &str) -> Result<SecretSlice<u8>> {
    let answer = context.ui.ask_secret(&format!("Secret {}:", shown(&demand.secret, Some(key))))?;
    Ok(SecretSlice::from(answer.expose_secret().as_bytes().to_vec()))
}

fn not_empty(value: SecretSlice<u8>, demand: &RequiredSecret, key: &str) -> Result<SecretSlice<u8>> {
    match value.expose_secret().is_empty() {
        true => Err(Error::usage(format!("the value for Secret {} is empty", shown(&demand.secret, Some(key))))),
        false => Ok(value),
    }
}

/// Reads the bytes of a file, as `kubectl create secret --from-file` does. Errors do not contain the path, which may be
/// a value that was passed by mistake.
fn read_file(path: &Path, secret: &str) -> Result<SecretSlice<u8>> {
    let bytes = match path == Path::new("-") {
        true => {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
            bytes
        }
        false => std::fs::read(path).with_context(|| format!("cannot read the file for Secret {secret}"))?,
    };
    Ok(SecretSlice::from(bytes))
}

/// Reads the bytes of an environment variable.
fn read_variable(name: &str, secret: &str) -> Result<SecretSlice<u8>> {
    let missing = || Error::usage(format!("the environment variable for Secret {secret} is not set"));
    let value = std::env::var_os(name).ok_or_else(missing)?;
    Ok(SecretSlice::from(value.into_encoded_bytes()))
}

fn shown(secret: &NamespacedName, key: Option<&str>) -> String {
    let key = key.map(|key| format!(":{key}")).unwrap_or_default();
    format!("{}/{}{key}", secret.namespace, secret.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_named_with_its_namespace() {
        let parsed = |text: &str| {
            text.parse::<SecretSourceFlag>().map(|given| (shown(&given.secret, given.key.as_deref()), given.place)).ok()
        };
        let some = |name: &str, place: &str| Some((name.to_owned(), place.to_owned()));
        assert_eq!(parsed("a/b=c"), some("a/b", "c"));
        assert_eq!(parsed("a/b:k=c=d"), some("a/b:k", "c=d"));
        assert_eq!(parsed("a/b=-"), some("a/b", "-"));
        for wrong in ["", "a", "a/b", "a=b", "a/b:=c", "a/b=", "a/b/c=d"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
