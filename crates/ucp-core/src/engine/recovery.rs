//! Errors of Flux, Argo CD and Crossplane by what ends them: the next attempt, a change of the declaration, or a person.
//! An error that is not in the table may end by itself.

mod ending;
mod known_errors;

pub use ending::Recovery;

use known_errors::{ErrorNature, KNOWN, KnownError};

/// What ends an error, and the sentence that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryEvidence<'message> {
    /// What ends it.
    pub recovery: Recovery,
    /// The part of the message.
    pub sentence: &'message str,
    /// The documentation of that error.
    pub source: &'static str,
}

/// Returns what ends an error, by the sentences of its message; `None` if they are not known. One sentence that needs a
/// change or a person decides.
pub fn recovery_of(message: &str) -> Option<RecoveryEvidence<'_>> {
    let found = message.split(['\n', ';']).filter_map(|sentence| Some((sentence, known_error(sentence)?)));
    // The first one that does not end by itself.
    let (sentence, known) = found.min_by_key(|(_, known)| known.recovery == Recovery::ByItself)?;
    Some(RecoveryEvidence { recovery: known.recovery, sentence: sentence.trim(), source: known.source })
}

/// Returns the error that a sentence is about: the innermost cause. A refusal next to an absence is not one.
fn known_error(sentence: &str) -> Option<&'static KnownError> {
    let lower = sentence.to_lowercase();
    let found: Vec<(usize, &KnownError)> = KNOWN
        .iter()
        .filter(|known| known.beside.is_empty() || known.beside.iter().any(|word| lower.contains(*word)))
        .filter_map(|known| Some((lower.rfind(known.words)? + known.words.len(), known)))
        .collect();
    let is_absent = found.iter().any(|(_, known)| known.nature == ErrorNature::Absence);
    let causes = found.into_iter().filter(|(_, known)| !(is_absent && known.recovery == Recovery::Human));
    causes.max_by_key(|(end, known)| (*end, known.words.len())).map(|(_, known)| known)
}

/// Returns true if an error is known to end by itself.
pub fn ends_by_itself(message: &str) -> bool {
    recovery_of(message).is_some_and(|evidence| evidence.recovery == Recovery::ByItself)
}

/// Returns the evidence that an error does not end by itself, if there is any, whatever the engine does.
pub fn lasting_evidence(message: &str) -> Option<RecoveryEvidence<'_>> {
    recovery_of(message).filter(|evidence| matches!(evidence.recovery, Recovery::Change | Recovery::Human))
}

/// Returns the evidence that an error does not end by itself although the engine has tried for longer than its interval:
/// like [`lasting_evidence`], and what its source still does not have.
pub fn evidence_after_patience(message: &str) -> Option<RecoveryEvidence<'_>> {
    recovery_of(message).filter(|evidence| evidence.recovery != Recovery::ByItself)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_names_each_error_once_with_its_source() {
        let words: BTreeSet<&str> = KNOWN.iter().map(|known| known.words).collect();
        assert_eq!(words.len(), KNOWN.len());
        for known in KNOWN {
            assert!(known.source.starts_with("https://"), "{}", known.words);
            assert_eq!(known.words, known.words.to_lowercase(), "compared with a message in lower case");
        }
    }

    #[test]
    fn the_recovery_of_an_error_is_read_from_its_message() {
        use Recovery::{AtSource, ByItself, Change, Human};
        for (message, expected) in [
            ("ArtifactFailed: Source artifact not found, retrying in 5s", Some(ByItself)),
            (
                "SourceNotReady: HelmChart 'team/a' is not ready: latest generation of object has not been reconciled",
                Some(ByItself),
            ),
            ("kustomization path not found: stat /tmp/a: no such file or directory", Some(Change)),
            (
                "Deployment/a dry-run failed (Invalid): Deployment.apps \"a\" is invalid: spec.selector: Invalid value: {}: field is immutable",
                Some(Change),
            ),
            ("pods \"a\" is forbidden: exceeded quota: small, requested: cpu=2", Some(Human)),
            (
                "failed calling webhook \"a.example.org\": Post \"https://a\": dial tcp 10.0.0.1:443: connect: connection refused",
                Some(ByItself),
            ),
            ("admission webhook \"a.example.org\" denied the request: no", Some(Change)),
            (
                "failed to checkout and determine revision: unable to clone 'https://git/a': repository not found",
                Some(Change),
            ),
            ("dial tcp: lookup git on 10.0.0.10:53: no such host", Some(ByItself)),
            ("cannot resolve references: mg.Spec.ForProvider.VPCID: referenced field was empty", Some(ByItself)),
            ("create failed: api error UnauthorizedOperation: you are not", Some(Human)),
            (
                "kustomize build failed: accumulating resources: Get \"https://a\": dial tcp: i/o timeout",
                Some(ByItself),
            ),
            (
                "could not find the requested resource; Nope/nope: Make sure the \"Nope\" CRD is installed on the destination cluster.",
                Some(ByItself),
            ),
            (
                "one or more synchronization tasks are not valid: The Kubernetes API could not find example.org/Nope",
                Some(ByItself),
            ),
            ("one or more objects failed to apply; dial tcp: i/o timeout", Some(ByItself)),
            // A failed operation is not a cause.
            ("one or more objects failed to apply", None),
            ("kustomize build failed: something odd", None),
            ("rpc error: code = Unknown desc = Manifest generation error (cached): something odd", None),
            ("pipeline step \"render\" returned a fatal result: something odd", Some(Change)),
            ("kustomize build failed: accumulating resources: stat /tmp/a: no such file or directory", Some(Change)),
            ("rpc error: code = Unknown desc = unable to resolve 'nope' to a commit SHA", Some(AtSource)),
            (
                "unable to resolve 'main' to a commit SHA: dial tcp: lookup g: Temporary failure in name resolution",
                Some(ByItself),
            ),
            (
                "Manifest generation error (cached): `git fetch` failed exit status 128: fatal: unable to access 'https://g/': Could not resolve host: g",
                Some(ByItself),
            ),
            (
                "Manifest generation error (cached): `helm dependency build` failed: https://charts/x.tgz : 500 Internal Server Error",
                Some(ByItself),
            ),
            (
                "failed to list refs: Get \"https://g\": net/http: request canceled (Client.Timeout exceeded while awaiting headers)",
                Some(ByItself),
            ),
            ("kustomize build failed: accumulating resources: HTTP Error: 502 from 'https://g'", Some(ByItself)),
            ("returned a fatal result: nil pointer evaluating interface {}.status", Some(ByItself)),
            (
                "chart/templates/a.yaml:1:2: executing \"a\" at <.b>: nil pointer evaluating interface {}.c",
                Some(Change),
            ),
            (
                "cannot apply composed resource \"a\": Subnet \"b\" is invalid: spec.vpcId: Required value",
                Some(ByItself),
            ),
            ("Deployment.apps \"a\" is invalid: spec.selector: Required value", Some(Change)),
            ("cannot apply composed resource \"a\": b is forbidden: User \"core\" cannot patch c", Some(ByItself)),
            ("deployments.apps \"a\" is forbidden: User \"flux\" cannot patch resource", Some(Human)),
            ("admission webhook \"a\" denied the request: issuer is not ready yet", Some(ByItself)),
            // An object that does not exist yet is no refusal, and neither is a noun.
            ("cannot get credentials secret: Secret \"quota-denied\" not found", Some(ByItself)),
            ("cannot get provider config: ProviderConfig \"default\" not found", Some(ByItself)),
            ("AuthenticationFailed: failed to get secret 'a/b': secrets \"b\" not found", Some(ByItself)),
            (
                "unable to create new content because it is being terminated: namespaces \"d\" is forbidden: x",
                Some(ByItself),
            ),
            ("cannot get credentials", None),
            ("cannot list quotas", None),
            ("the server has asked for the client to provide credentials", Some(Human)),
            ("oauth2: the credentials are expired", Some(Human)),
            ("requested access to the resource is denied", Some(Human)),
            ("Permission 'storage.buckets.create' denied on resource 'a'", Some(Human)),
            ("googleapi: Error 403: Insufficient regional quota to satisfy request: short '2.0'", Some(Human)),
            ("User: a is not authorized to perform: s3:CreateBucket", Some(Human)),
            ("update failed: OperationAborted: A conflicting operation is currently in progress", Some(ByItself)),
            ("Timeout: failed waiting for *unstructured.Unstructured Informer to sync", Some(ByItself)),
            ("ChartPullError: chart pull error: failed to download chart: EOF", Some(ByItself)),
            ("ChartPullError: chart pull error: no 'a' chart with version matching '9' found", Some(AtSource)),
            ("chart \"a\" version \"9\" not found in https://charts.example.org repository", Some(AtSource)),
            ("cannot unpack package: GET https://a: MANIFEST_UNKNOWN: manifest unknown", Some(AtSource)),
            ("cannot unpack package: failed to fetch package digest: dial tcp: i/o timeout", Some(ByItself)),
            ("something else", None),
            ("", None),
        ] {
            assert_eq!(recovery_of(message).map(|evidence| evidence.recovery), expected, "{message}");
        }
        let evidence = recovery_of("dial tcp: i/o timeout; ConfigMap \"a\" is invalid: data: Too long").unwrap();
        assert_eq!((evidence.recovery, evidence.sentence), (Change, "ConfigMap \"a\" is invalid: data: Too long"));
        assert!(lasting_evidence("connection refused").is_none());
        let absent = "no 'a' chart with version matching '9' found";
        assert_eq!((lasting_evidence(absent).is_some(), evidence_after_patience(absent).is_some()), (false, true));
    }
}
