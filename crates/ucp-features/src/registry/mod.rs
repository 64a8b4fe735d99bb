//! Packages in registries, as Crossplane reads them: the manifests in a layer of an image. Source: the specifications
//! `opencontainers/distribution-spec` 1.1 and `distribution/docs/spec/auth/token` of Docker.

mod challenge;
mod credentials;
pub mod origin;
mod reference;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::header::{ACCEPT, AUTHORIZATION, LOCATION, WWW_AUTHENTICATE};
use http::{HeaderValue, Request, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use challenge::TokenChallenge;
pub use credentials::RegistryLogin;
pub use reference::PackageReference;

use crate::upgrade::package::{MANIFESTS, manifests_in_layer};
use ucp_client::source::live::web::{WebClient, WebResponse};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::hash::sha256_of;
use ucp_core::model::secrecy::register_secret;

/// Media types of manifests and of lists of them.
const MANIFEST_TYPES: &str = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, \
                              application/vnd.docker.distribution.manifest.v2+json, \
                              application/vnd.docker.distribution.manifest.list.v2+json";
/// Size limit of a compressed layer. Manifests of the largest providers have 10 MB.
const LARGEST_LAYER: usize = 128 << 20;
/// Layers that are looked into, if none is marked as the one with the manifests.
const MOST_LAYERS: usize = 16;
/// Redirects that are followed to a blob.
const MOST_REDIRECTS: usize = 3;

/// Returns the manifests of a package.
///
/// # Errors
/// Fails when the registry does not respond, denies access, or the image is no package.
pub async fn fetch_manifests(reference: &PackageReference, login: Option<&RegistryLogin>) -> Result<String, Failure> {
    let mut session = RegistrySession::open(reference, login, LARGEST_LAYER)?;
    let mut manifest = session.manifest(&reference.version).await?;
    if let Some(digest) = platform_digest(&manifest) {
        manifest = session.manifest(&digest).await?;
    }
    for digest in layer_digests(&manifest).iter().take(MOST_LAYERS) {
        let layer = session.blob(digest).await?;
        if let Some(manifests) = manifests_in_layer(layer.as_slice())? {
            return Ok(manifests);
        }
    }
    fail!("it is no package: no layer contains {MANIFESTS}")
}

/// Returns the digest of a platform's manifest in an index. The manifests of a package are the same for all.
fn platform_digest(index: &Value) -> Option<String> {
    let manifests = index.get("manifests")?.as_array()?;
    let is_platform =
        |entry: &&Value| entry["platform"]["os"] == "linux" && entry["platform"]["architecture"] == "amd64";
    let entry = manifests.iter().find(is_platform).or(manifests.first())?;
    entry["digest"].as_str().filter(|digest| is_digest(digest)).map(str::to_owned)
}

/// Returns true for a digest that can be a part of a path.
fn is_digest(digest: &str) -> bool {
    let hash = digest.strip_prefix("sha256:");
    hash.is_some_and(|hash| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns the digests of the layers: the one that is marked as the base of a package, or all of them, smallest first.
fn layer_digests(manifest: &Value) -> Vec<String> {
    let mut layers: Vec<&Value> = manifest["layers"].as_array().into_iter().flatten().collect();
    layers.sort_by_key(|layer| layer["size"].as_u64());
    let is_base = |layer: &&&Value| layer["annotations"]["io.crossplane.xpkg"] == "base";
    let base: Vec<&Value> = layers.iter().filter(is_base).copied().collect();
    let chosen = if base.is_empty() { layers } else { base };
    let digests = chosen.iter().filter_map(|layer| layer["digest"].as_str());
    digests.filter(|digest| is_digest(digest)).map(str::to_owned).collect()
}

/// A connection to a registry, for one repository.
struct RegistrySession<'a> {
    reference: &'a PackageReference,
    login: Option<&'a RegistryLogin>,
    web: WebClient,
    authorization: Option<HeaderValue>,
    largest: usize,
}

impl<'a> RegistrySession<'a> {
    /// Prepares a session for responses of at most this size in bytes.
    fn open(
        reference: &'a PackageReference,
        login: Option<&'a RegistryLogin>,
        largest: usize,
    ) -> Result<Self, Failure> {
        let web = WebClient::connect(&reference.origin())?.with_largest_response(largest);
        Ok(Self { reference, login, web, authorization: None, largest })
    }

    /// Returns a manifest or index by tag or digest.
    async fn manifest(&mut self, version: &str) -> Result<Value, Failure> {
        let answer = self.get("manifests", version).await?;
        if !answer.status.is_success() {
            return fail!("{}", self.refusal(answer.status));
        }
        self.check_digest(version, &answer.body)?;
        match serde_json::from_slice(&answer.body) {
            Ok(manifest) => Ok(manifest),
            Err(_) => fail!("the manifest that {} sent is not JSON", self.reference.host),
        }
    }

    /// Returns a blob, which may be on another server.
    async fn blob(&mut self, digest: &str) -> Result<Vec<u8>, Failure> {
        let answer = self.get("blobs", digest).await?;
        if !answer.status.is_success() {
            return fail!("{}", self.refusal(answer.status));
        }
        self.check_digest(digest, &answer.body)?;
        Ok(answer.body.to_vec())
    }

    /// Returns a manifest or blob, from wherever the registry redirects to.
    async fn get(&mut self, part: &str, version: &str) -> Result<WebResponse, Failure> {
        let mut answer = self.get_here(part, version).await?;
        for _ in 0..MOST_REDIRECTS {
            if !answer.status.is_redirection() {
                break;
            }
            let location = answer.headers.get(LOCATION).and_then(|value| value.to_str().ok());
            let Some(location) = location else { return fail!("a redirect of {} has no target", self.reference.host) };
            answer = self.get_elsewhere(location).await?;
        }
        Ok(answer)
    }

    /// Sends a request to the registry, a second time with a token if it asks for one.
    async fn get_here(&mut self, part: &str, version: &str) -> Result<WebResponse, Failure> {
        let path = format!("/v2/{}/{part}/{version}", self.reference.repository);
        let answer = self.web.send(request(&path, self.authorization.as_ref())?).await?;
        if answer.status != StatusCode::UNAUTHORIZED || self.authorization.is_some() {
            return Ok(answer);
        }
        self.authorization = self.authorize(&answer).await?;
        self.web.send(request(&path, self.authorization.as_ref())?).await
    }

    /// Returns the header that the registry asks for, with the user's login if there is one.
    async fn authorize(&self, answer: &WebResponse) -> Result<Option<HeaderValue>, Failure> {
        let header = answer.headers.get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let Some(challenge) = TokenChallenge::parse(header) else {
            return self.login.map(|login| sensitive(&basic(login))).transpose();
        };
        let (origin, path) = challenge.address(&format!("repository:{}:pull", self.reference.repository))?;
        if !self.reference.allows_origin(&origin) {
            return fail!("{} asks for a token of {origin}, which is not encrypted", self.reference.host);
        }
        // A credential belongs to its server: another one gets none, and gives a token for public images only.
        let login = self.login.filter(|_| self.reference.trusts_token_server(&origin));
        let header = login.map(|login| sensitive(&basic(login))).transpose()?;
        let answer = WebClient::connect(&origin)?.send(request(&path, header.as_ref())?).await?;
        if !answer.status.is_success() {
            return fail!("{origin} gives no token: HTTP {}", answer.status);
        }
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let Some(token) = body["token"].as_str().or(body["access_token"].as_str()) else {
            return fail!("{origin} sent no token");
        };
        register_secret(token);
        sensitive(&SecretString::from(format!("Bearer {token}"))).map(Some)
    }

    /// Follows a redirect, without a credential.
    async fn get_elsewhere(&self, location: &str) -> Result<WebResponse, Failure> {
        let (origin, path) = match location.starts_with('/') {
            true => (self.reference.origin(), location),
            false => reference::split_origin(location)?,
        };
        if !self.reference.allows_origin(&origin) {
            return fail!("{} redirects to {origin}, which is not encrypted", self.reference.host);
        }
        WebClient::connect(&origin)?.with_largest_response(self.largest).send(request(path, None)?).await
    }

    fn check_digest(&self, version: &str, body: &[u8]) -> Result<(), Failure> {
        match version.strip_prefix("sha256:") {
            Some(expected) if !expected.eq_ignore_ascii_case(&sha256_of(body)) => {
                fail!("the content that {} sent for {version} has another digest", self.reference.host)
            }
            _ => Ok(()),
        }
    }

    fn refusal(&self, status: StatusCode) -> String {
        let login = if self.login.is_some() { "the login of docker's configuration" } else { "no login" };
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                format!("{} denies access with {login} (HTTP {status})", self.reference.host)
            }
            StatusCode::NOT_FOUND => format!("{} has no such image", self.reference.host),
            status => format!("{} responds with HTTP {status}", self.reference.host),
        }
    }
}

fn basic(login: &RegistryLogin) -> SecretString {
    let text = BASE64.encode(format!("{}:{}", login.user, login.password.expose_secret()));
    register_secret(&text);
    SecretString::from(format!("Basic {text}"))
}

fn sensitive(text: &SecretString) -> Result<HeaderValue, Failure> {
    let mut value = HeaderValue::from_str(text.expose_secret()).map_err(|_| "the credential has invalid characters")?;
    value.set_sensitive(true);
    Ok(value)
}

fn request(path: &str, authorization: Option<&HeaderValue>) -> Result<Request<Vec<u8>>, Failure> {
    let mut request = Request::builder()
        .uri(path)
        .header("user-agent", concat!("kubectl-ucp/", env!("CARGO_PKG_VERSION")))
        .header(ACCEPT, MANIFEST_TYPES);
    if let Some(authorization) = authorization {
        request = request.header(AUTHORIZATION, authorization.clone());
    }
    request.body(Vec::new()).map_err(|error| error.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_layer_with_the_manifests_is_read_first() {
        let digest = |letter: &str| format!("sha256:{}", letter.repeat(64));
        let layer = |digest: &str, size: u64, annotations: Value| json!({"digest": digest, "size": size, "annotations": annotations});
        let base = json!({"io.crossplane.xpkg": "base"});
        let marked = json!({"layers": [layer(&digest("a"), 1, json!({})), layer(&digest("b"), 9, base)]});
        assert_eq!(layer_digests(&marked), [digest("b")]);
        let odd = layer("sha256:../../x", 2, json!({}));
        let plain = json!({"layers": [layer(&digest("a"), 9, json!({})), odd, layer(&digest("b"), 1, json!({}))]});
        assert_eq!(layer_digests(&plain), [digest("b"), digest("a")]);
        let index = json!({"manifests": [
            {"digest": digest("a"), "platform": {"os": "linux", "architecture": "arm64"}},
            {"digest": digest("b"), "platform": {"os": "linux", "architecture": "amd64"}},
        ]});
        assert_eq!(platform_digest(&index), Some(digest("b")));
        assert_eq!(platform_digest(&plain), None);
    }
}
