//! A live cluster that is read step by step: the next request depends on previous responses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::api::{Api, JSON, parse};
use super::emptied::contradicted_lists;
use super::freshness::Freshness;
use super::limit::ResponseLimit;
use super::rules::LiveRules;
use super::write::ObjectPath;
use super::{assemble, discover_with_freshness, list, list_all, origin, runtime, wanted};
use crate::source::kubeconfig::{self, Connection};
use crate::source::{ConnectionArgs, Query};
use ucp_core::engine::{self, ListedNames};
use ucp_core::error::{Error, Result};
use ucp_core::model::body::KindRequest;
use ucp_core::model::convention::Convention;
use ucp_core::model::health_rule::HealthRules;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::request_path::RequestPath;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Unreadable};

/// For more objects of one kind than this, listing the kind takes less time than fetching each object.
const MANY: usize = 24;

/// A connection, and the kinds of its server.
pub struct Session {
    runtime: Runtime,
    api: Api,
    connection: Connection,
    freshness: Arc<Freshness>,
    kinds: Vec<Arc<ResourceKind>>,
    unreadable: Vec<Unreadable>,
    external_controllers: Vec<String>,
    conventions: Vec<Convention>,
    /// The health rules of the user.
    rules: HealthRules,
}

/// The result of fetching objects.
#[derive(Debug, Default)]
pub struct FetchedObjects {
    /// The objects that exist.
    pub resources: Vec<Resource>,
    /// The objects that do not exist.
    pub absent: Vec<ObjectKey>,
    /// The objects that the user may not read, with the reasons.
    pub unreadable: Vec<Unreadable>,
    /// Kinds that were listed completely, since many of their objects were requested.
    pub kinds: Vec<Arc<ResourceKind>>,
}

impl FetchedObjects {
    fn extend(&mut self, more: Self) {
        self.resources.extend(more.resources);
        self.absent.extend(more.absent);
        self.unreadable.extend(more.unreadable);
        self.kinds.extend(more.kinds);
    }
}

/// An object to fetch.
#[derive(Debug, Clone)]
pub struct WantedObject {
    /// Kind of the object.
    pub kind: Arc<ResourceKind>,
    /// The fields to read.
    pub want: KindRequest,
    /// Key of the object.
    pub key: ObjectKey,
}

impl Session {
    /// Connects and discovers the kinds.
    ///
    /// # Errors
    /// Fails when no cluster is configured, or discovery fails.
    pub fn open(flags: &ConnectionArgs) -> Result<Self> {
        let (conventions, rules) = (flags.conventions()?, flags.health_rules()?);
        let connection = kubeconfig::load(flags)?;
        let runtime = runtime()?;
        let (api, discovered, freshness) = runtime.block_on(async {
            let api = Api::connect(&connection, flags.request_timeout)?;
            let (discovered, freshness) = discover_with_freshness(&api, &connection).await?;
            Ok::<_, ucp_core::error::Error>((api, discovered, freshness))
        })?;
        Ok(Self {
            runtime,
            api,
            connection,
            freshness: Arc::new(freshness),
            kinds: discovered.kinds,
            unreadable: discovered.unreadable,
            external_controllers: flags.external_controllers(),
            conventions,
            rules,
        })
    }

    /// The kinds that can be listed.
    pub fn kinds(&self) -> &[Arc<ResourceKind>] {
        &self.kinds
    }

    /// Returns a kind by its group and name, if the server lists it.
    pub fn kind(&self, group: &str, name: &str) -> Option<&Arc<ResourceKind>> {
        self.kinds.iter().find(|kind| kind.group == group && kind.kind == name)
    }

    /// A cluster state without any objects.
    pub fn nothing(&self) -> ClusterState {
        ClusterState {
            external_controllers: self.external_controllers.clone(),
            conventions: self.conventions.clone(),
            ..assemble(origin(&self.connection), None, self.unreadable.clone(), Vec::new())
        }
    }

    /// Lists kinds completely and adds them to a state.
    pub fn list(&self, query: &Query<'_>, state: &mut ClusterState) {
        let wanted = wanted(&self.kinds, query);
        let mut wanted: Vec<_> = wanted.into_iter().filter(|interest| !state.kinds.contains(&interest.kind)).collect();
        let mut rules = LiveRules::of_user(self.rules.clone());
        self.runtime.block_on(rules.apply(&self.api, &self.kinds, &mut wanted, &self.freshness));
        let lists = self.runtime.block_on(list_all(&self.api, wanted, query.progress, Arc::clone(&self.freshness)));
        let more = assemble(origin(&self.connection), None, Vec::new(), lists);
        state.kinds.extend(more.kinds);
        state.resources.extend(more.resources);
        state.unreadable.extend(more.unreadable);
        state.unreadable.extend(rules.missing_ground(state.resources.iter()));
        if state.health_rules.is_empty() {
            let known = std::mem::replace(&mut state.health_rules, rules.rules);
            state.health_rules.ownership = state.health_rules.ownership.take().or(known.ownership);
        }
        state.moment = Timestamp::now();
    }

    /// Adds gaps for the groups and kinds that discovery omits although objects of a state depend on them, and for complete lists
    /// without objects to which others refer.
    pub fn report_omissions(&self, state: &mut ClusterState, is_whole: impl Fn(&ResourceKind) -> bool) {
        let listed: ListedNames = self.kinds.iter().map(AsRef::as_ref).collect();
        engine::report_hidden_groups(state, &listed);
        let absences = engine::referenced_absences(state, is_whole);
        if !absences.is_empty() {
            state.unreadable.extend(self.runtime.block_on(contradicted_lists(&self.api, absences)));
        }
    }

    /// Returns all objects of some kinds with a name, in one namespace or in all.
    pub fn named(
        &self,
        kinds: &[(Arc<ResourceKind>, KindRequest)],
        namespace: Option<&str>,
        name: &str,
    ) -> FetchedObjects {
        let asked = kinds
            .iter()
            .map(|(kind, want)| async move { (kind, list::list_named(&self.api, kind, *want, namespace, name).await) });
        let mut fetched = FetchedObjects::default();
        for (kind, answer) in self.runtime.block_on(futures::future::join_all(asked)) {
            match answer {
                Ok(resources) => fetched.resources.extend(resources),
                Err(error) => fetched.unreadable.push(super::cannot_read(kind, &error)),
            }
        }
        fetched
    }

    /// Fetches objects by name. A kind of which many objects are requested is listed instead.
    pub fn fetch(&self, wanted: Vec<WantedObject>) -> FetchedObjects {
        let mut by_kind: BTreeMap<Arc<ResourceKind>, Vec<WantedObject>> = BTreeMap::new();
        for wanted in wanted {
            by_kind.entry(Arc::clone(&wanted.kind)).or_default().push(wanted);
        }
        let mut fetched = FetchedObjects::default();
        let mut single = Vec::new();
        for (kind, wanted) in by_kind {
            match wanted.first().map(|first| first.want) {
                Some(want) if wanted.len() > MANY => fetched.extend(self.listed(&kind, want)),
                _ => single.extend(wanted),
            }
        }
        self.runtime.block_on(async {
            let api = self.api.for_many();
            let asked = single.into_iter().map(async |wanted| {
                let WantedObject { kind, want, key } = &wanted;
                let answer = list::list_named(&api, kind, *want, key.namespace.as_deref(), &key.name).await;
                (wanted, answer)
            });
            for (wanted, answer) in futures::future::join_all(asked).await {
                match answer {
                    Ok(found) if found.is_empty() => fetched.absent.push(wanted.key),
                    Ok(found) => fetched.resources.extend(found),
                    Err(error) => {
                        let what = wanted.key.to_string();
                        fetched.unreadable.push(Unreadable { what, reason: error.to_string() });
                    }
                }
            }
        });
        fetched
    }

    /// Lists all objects of a kind that match `want`.
    pub fn listed(&self, kind: &Arc<ResourceKind>, want: KindRequest) -> FetchedObjects {
        self.listed_in(None, kind, want)
    }

    /// Lists the objects of a kind that match `want`, in one namespace or in all.
    pub fn listed_in(&self, namespace: Option<&str>, kind: &Arc<ResourceKind>, want: KindRequest) -> FetchedObjects {
        let scope = list::ListScope { namespace, name: None };
        let listed = self.runtime.block_on(list::list(&self.api, kind, want, scope, &self.freshness));
        let error = listed.error.map(|error| super::cannot_read(kind, &error));
        FetchedObjects {
            resources: listed.resources,
            absent: Vec::new(),
            unreadable: listed.broken.into_iter().chain(error).collect(),
            kinds: vec![Arc::clone(kind)],
        }
    }

    /// Returns a whole object, as the server stores it.
    ///
    /// # Errors
    /// Fails when the server does not list its kind, or the object cannot be read.
    pub fn object(&self, object: &ObjectName) -> Result<Value> {
        let is_kind = |kind: &&Arc<ResourceKind>| {
            kind.group == object.group() && (kind.kind == object.kind || kind.is_called(&object.kind))
        };
        let Some(kind) = self.kinds.iter().find(is_kind) else {
            return Err(Error::failed(format!("the server does not list the kind {}", object.full_kind())));
        };
        self.get(&kind.path(object.namespace.as_deref()).below(&object.name))
    }

    /// Returns the CRDs with these names that exist, as the server stores them, and those that cannot be read.
    pub fn definitions(&self, names: &BTreeSet<String>) -> (Vec<Value>, Vec<Unreadable>) {
        let api = self.api.for_many();
        let read = names.iter().map(|name| {
            let path = ObjectPath::of_definition(name);
            let api = &api;
            async move {
                api.read_object(&path).await.map_err(|error| Unreadable {
                    what: format!("customresourcedefinition/{name}"),
                    reason: error.to_string(),
                })
            }
        });
        let (mut definitions, mut unreadable) = (Vec::new(), Vec::new());
        for result in self.runtime.block_on(futures::future::join_all(read)) {
            match result {
                Ok(definition) => definitions.extend(definition),
                Err(entry) => unreadable.push(entry),
            }
        }
        (definitions, unreadable)
    }

    /// Returns the newest events about an object, as the server stores them. Events about a cluster-scoped object are
    /// in `namespace`, too.
    ///
    /// # Errors
    /// Fails when they cannot be listed.
    pub fn events(&self, object: &ObjectName, namespace: &str) -> Result<Vec<Value>> {
        let fields = format!("involvedObject.kind={},involvedObject.name={}", object.kind, object.name);
        let path = RequestPath::for_version("", "v1").below("namespaces").below(namespace).below("events");
        let list: Value = self.get(&path.with_query("fieldSelector", &fields).with_query("limit", "500"))?;
        Ok(list.get("items").and_then(Value::as_array).cloned().unwrap_or_default())
    }

    fn get(&self, path: &RequestPath) -> Result<Value> {
        let answer = self.runtime.block_on(self.api.get(path.clone(), JSON, ResponseLimit::Page));
        let bytes = answer.map_err(|error| error.to_server_error(&self.connection.server))?;
        Ok(parse(&bytes)?)
    }
}
