//! The objects that an API server has stored in etcd, by etcd's JSON API.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

/// Operations of one transaction; etcd allows 128.
const OPERATIONS: usize = 100;
/// In base64, the byte that is the first key, and as the end of a range means that it has none.
const ALL: &str = "AA==";

/// One etcd on loopback.
#[derive(Debug)]
pub struct Store {
    port: u16,
}

/// One stored object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The revision of etcd that changed it last.
    pub revision: u64,
    /// In base64; empty unless values were read.
    pub value: String,
}

/// Entries by key.
pub type Entries = BTreeMap<String, Entry>;

impl Store {
    pub const fn on(port: u16) -> Self {
        Self { port }
    }

    /// All entries with their values.
    pub async fn values(&self) -> Result<Entries> {
        self.range(json!({"key": ALL, "range_end": ALL})).await
    }

    /// All entries without values.
    pub async fn revisions(&self) -> Result<Entries> {
        self.range(json!({"key": ALL, "range_end": ALL, "keys_only": true})).await
    }

    async fn range(&self, request: Value) -> Result<Entries> {
        let response = self.call("range", &request).await?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let entries = response["kvs"].as_array().into_iter().flatten().map(|entry| {
            let key = String::from_utf8(BASE64.decode(text(&entry["key"]))?)?;
            Ok((key, Entry { revision: text(&entry["mod_revision"]).parse()?, value: text(&entry["value"]) }))
        });
        entries.collect()
    }

    /// Deletes keys.
    pub async fn delete(&self, keys: &[&String]) -> Result<()> {
        let operation = |key: &&String| json!({"request_delete_range": {"key": BASE64.encode(key)}});
        for some in keys.chunks(OPERATIONS) {
            self.change(some.iter().map(operation).collect()).await?;
        }
        Ok(())
    }

    /// Writes a value in base64, and returns the revision that has it.
    pub async fn put(&self, key: &str, value: &str) -> Result<u64> {
        self.change(vec![json!({"request_put": {"key": BASE64.encode(key), "value": value}})]).await
    }

    async fn change(&self, operations: Vec<Value>) -> Result<u64> {
        let response = self.call("txn", &json!({"success": operations})).await?;
        let revision = response["header"]["revision"].as_str().context("a transaction without a revision")?;
        Ok(revision.parse()?)
    }

    async fn call(&self, method: &str, body: &Value) -> Result<Value> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let request = Request::post(format!("/v3/kv/{method}")).header("host", "127.0.0.1");
        let response = sender.send_request(request.body(Full::new(Bytes::from(body.to_string())))?).await?;
        let status = response.status();
        let text = response.into_body().collect().await?.to_bytes();
        ensure!(status.is_success(), "etcd answers {status}: {}", String::from_utf8_lossy(&text));
        Ok(serde_json::from_slice(&text)?)
    }
}
