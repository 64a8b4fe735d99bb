//! Traces that several snapshots of one cluster have in common.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::object_trace::{ObjectTrace, has_writers};
use super::request::TraceRequest;
use crate::model::weight::{KeptWeight, Overweight};

/// Traces by UID and `resourceVersion`: with both, an object of two snapshots is the same. All are read for the same request.
#[derive(Debug, Default)]
pub struct TraceCache(Mutex<HashMap<String, CachedTrace>>);

#[derive(Debug)]
struct CachedTrace {
    trace: Arc<ObjectTrace>,
    /// Of the trace.
    _weight: KeptWeight,
}

impl TraceCache {
    /// Returns the trace of an object, which another snapshot may have had; `None` if there is none.
    ///
    /// # Errors
    /// Fails when everything that is kept would be too much.
    pub fn trace(&self, object: &Value, request: TraceRequest) -> Result<Option<Arc<ObjectTrace>>, Overweight> {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (Some(uid), Some(version)) = (text("/metadata/uid"), text("/metadata/resourceVersion")) else {
            return Ok(ObjectTrace::from_object(object, request).map(Arc::new));
        };
        let key = format!("{uid}/{version}");
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // `kubectl get` leaves the writers out.
        if let Some(known) = lock().get(&key).filter(|known| known.trace.has_writers || !has_writers(object)) {
            return Ok(Some(Arc::clone(&known.trace)));
        }
        let Some(trace) = ObjectTrace::from_object(object, request).map(Arc::new) else { return Ok(None) };
        let weight = KeptWeight::reserve(trace.weight() + key.len() + size_of::<CachedTrace>())?;
        lock().insert(key, CachedTrace { trace: Arc::clone(&trace), _weight: weight });
        Ok(Some(trace))
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::model::trace::request::DeclarationKeeping;

    #[test]
    fn only_the_same_version_of_an_object_shares_its_trace() {
        let cache = TraceCache::default();
        let request = TraceRequest { since: Timestamp::MIN, declaration: DeclarationKeeping::Kept };
        let object = |version: &str, size: usize| json!({"kind": "Thing", "metadata": {"uid": "a", "resourceVersion": version}, "spec": {"size": size}});
        let trace = |object: &Value| cache.trace(object, request).unwrap().unwrap();
        let first = trace(&object("1", 1));
        assert!(Arc::ptr_eq(&first, &trace(&object("1", 1))));
        assert!(!Arc::ptr_eq(&first, &trace(&object("2", 2))));
        // Without a version, nothing shows that two objects are the same.
        assert!(!Arc::ptr_eq(&trace(&object("", 1)), &trace(&object("", 1))));
        let mut written = object("1", 1);
        written["metadata"]["managedFields"] = json!([{"manager": "kubectl"}]);
        assert!(trace(&written).has_writers, "a snapshot without writers came first");
        assert!(trace(&object("1", 1)).has_writers);
    }

    #[test]
    fn a_shared_trace_is_used_once() {
        let cache = TraceCache::default();
        let request = TraceRequest { since: Timestamp::MIN, declaration: DeclarationKeeping::Kept };
        let object = json!({"kind": "Thing", "metadata": {"uid": "a", "resourceVersion": "1"}, "spec": {}});
        let uses = [(); 3].map(|()| cache.trace(&object, request).unwrap().unwrap().is_first_use());
        assert_eq!(uses, [true, false, false]);
    }
}
