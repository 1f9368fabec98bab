//! Everything that is served at one moment, found by path.
//!
//! A [`Catalogue`] never changes. A write of a CRD makes the next one, which shares what did not change; whoever looks
//! something up keeps what was found for as long as needed.

use super::resource::Resource;
use crate::crds;
use crate::openapi::Published;
use crate::rules::Rules;
use crate::settings::Settings;
use crate::stored;
use crate::watch::EventCache;
use bytes::Bytes;
use crdkit_native::NativeKind;
use crdkit_schema::status::{Status, Subject};
use crdkit_store::{KeyLayout, Revision, StoreEntry};
use crdkit_value::{Document, NodeId};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// All that is served.
#[derive(Default)]
pub(crate) struct Catalogue {
    /// In order of group, version and plural.
    served: Vec<Arc<Served>>,
    /// In order of the keys of objects, and the version that is stored before others.
    by_key: Vec<Arc<Served>>,
}

/// A kind in one version, with all that requests need of it.
pub(crate) struct Served {
    pub(crate) resource: Resource,
    pub(crate) rules: Rules,
    /// The first part of keys; empty for native kinds.
    key_group: Box<str>,
    /// The part of keys that names the kind.
    key_plural: Box<str>,
    /// How the stored form of objects begins, which is what is served if they were written after `fresh`.
    prefix: usize,
    prefix_text: Box<str>,
    fresh: Revision,
    /// The revision of its beginning; a watch cannot go back further.
    pub(crate) since: Revision,
    /// Whether objects are stored in this version.
    stores: bool,
    /// Whether objects are stored in CBOR.
    cbor: bool,
    /// Whether new objects are refused because the CRD is going away.
    pub(crate) terminating: bool,
    /// What documents say about it.
    pub(crate) published: Published,
    /// Events in the forms they were sent in.
    pub(crate) events: EventCache,
    /// Says when this is no longer served as it is, so that watches end.
    pub(crate) ended: watch::Receiver<bool>,
}

impl Served {
    /// What is served of `resource`. Objects that were written after `fresh` are stored as they are served.
    pub(crate) fn new(
        resource: Resource,
        rules: Rules,
        fresh: Revision,
        terminating: bool,
        ended: watch::Receiver<bool>,
    ) -> Self {
        let api_version = resource.api_version();
        let prefix_text = stored::prefix(&api_version, &resource.kind.kind);
        let (key_group, key_plural) = match &rules {
            Rules::Native(kind) | Rules::Review(kind) => ("", native_key(kind)),
            Rules::Custom(_) | Rules::Definition => {
                (resource.kind.group.as_str(), &*resource.plural)
            }
        };
        let stores =
            resource.storage.as_ref() == Some(&resource.kind) || matches!(rules, Rules::Definition);
        Self {
            key_group: key_group.into(),
            key_plural: key_plural.into(),
            prefix: prefix_text.len(),
            prefix_text: prefix_text.into(),
            fresh,
            since: Revision(0),
            stores,
            cbor: false,
            terminating,
            published: Published::default(),
            events: EventCache::default(),
            ended,
            rules,
            resource,
        }
    }

    /// The same, of which nothing was known before a revision.
    pub(crate) fn known_since(mut self, revision: Revision) -> Self {
        self.since = revision;
        self
    }

    /// The same, with objects that are stored in CBOR if `cbor` says so.
    pub(crate) fn stored_in_cbor(mut self, cbor: bool) -> Self {
        self.cbor = cbor;
        self
    }

    /// Where the metadata of an entry begins, if the entry is stored as it is served in this version.
    pub(crate) fn splice_at(&self, entry: &StoreEntry) -> Option<usize> {
        let current = self.stores && entry.revision > self.fresh;
        (current && entry.value.starts_with(self.prefix_text.as_bytes())).then_some(self.prefix)
    }

    /// The stored form of an object, which is written as `written` if that is something else. The object becomes what
    /// is read back.
    ///
    /// # Errors
    /// The answer, when there is no such form.
    pub(crate) async fn encode(
        &self,
        object: &mut Document,
        written: Option<Document>,
    ) -> Result<Bytes, Box<Status>> {
        if self.stores && written.is_none() && !self.cbor {
            return Ok(stored::encode(object.root()));
        }
        let written = written.unwrap_or_else(|| object.clone());
        let written = self.rules.to_storage(written).await?;
        let value = if self.cbor {
            stored::encode_cbor(written.clone())
        } else {
            stored::encode_apart(written.root())
        };
        if let Rules::Custom(rules) = &self.rules
            && rules.has_converter()
            && !self.stores
        {
            *object = rules.convert(&written).await?;
        }
        Ok(value)
    }

    /// Whether a stored form that was just made is of this version.
    pub(crate) fn is_stored_prefix(&self, value: &[u8]) -> bool {
        value.starts_with(self.prefix_text.as_bytes())
    }

    /// The length of what stands before the members of the metadata in the stored form.
    pub(crate) fn prefix_len(&self) -> usize {
        self.prefix
    }

    pub(crate) fn key(&self, layout: &KeyLayout, namespace: Option<&str>, name: &str) -> String {
        layout.object(&self.key_group, &self.key_plural, namespace, name)
    }

    pub(crate) fn collection(&self, layout: &KeyLayout, namespace: Option<&str>) -> String {
        layout.collection(&self.key_group, &self.key_plural, namespace)
    }

    /// After which time objects go away by themselves.
    pub(crate) fn time_to_live(&self, settings: &Settings) -> Option<Duration> {
        let Rules::Native(kind) = self.rules else { return None };
        kind.ttl_seconds.map(|_| settings.event_ttl)
    }

    /// Whether deletion asks the garbage collector about dependents.
    pub(crate) fn is_collected(&self) -> bool {
        !matches!(self.rules, Rules::Definition)
    }

    /// Whether objects that are being deleted say how long that may take.
    pub(crate) fn tracks_grace(&self) -> bool {
        !matches!(self.rules, Rules::Definition) && !self.rules.is_namespace()
    }

    /// Some objects may not be deleted.
    pub(crate) fn check_deletion(&self, name: &str) -> Result<(), Box<Status>> {
        let kept = ["default", "kube-system", "kube-public"].contains(&name);
        if !(kept && self.rules.is_namespace()) {
            return Ok(());
        }
        let subject = Subject { group: "", version: "v1", kind: "namespaces", name };
        Err(subject.forbidden("this namespace may not be deleted").into())
    }

    /// What a kind does to its objects when their deletion begins.
    pub(crate) fn before_deletion(&self, object: &mut Document, now: &str) {
        match self.rules {
            Rules::Definition => crds::before_deletion(object, now),
            Rules::Native(_) if self.rules.is_namespace() => {
                let status = Document::object().with("phase", "Terminating");
                object.insert(NodeId::ROOT, "status", &status);
            }
            Rules::Native(_) | Rules::Review(_) | Rules::Custom(_) => {}
        }
    }

    fn key_parts(&self) -> (&str, &str) {
        (&self.key_group, &self.key_plural)
    }

    fn path(&self) -> (&str, &str, &str) {
        let kind = &self.resource.kind;
        (&kind.group, &kind.version, &self.resource.plural)
    }
}

/// The part of a native kind's keys that names it: what stands between the root and the placeholders.
fn native_key(kind: &'static NativeKind) -> &'static str {
    let key = kind.storage.map_or(kind.plural, |storage| storage.key);
    let key = key.strip_prefix("/registry/").unwrap_or(key);
    key.split("/{").next().unwrap_or(key)
}

impl Catalogue {
    /// What is served at a path.
    pub(crate) fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Served>> {
        let at =
            self.served.binary_search_by(|it| it.path().cmp(&(group, version, plural))).ok()?;
        self.served.get(at)
    }

    /// Everything, in order of group, version and plural.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Served>> {
        self.served.iter()
    }

    /// Whether anything of a group is served, custom or native.
    pub(crate) fn has_native_group(&self, group: &str) -> bool {
        self.iter().any(|it| it.resource.kind.group == group && !it.resource.is_custom())
    }

    /// The next catalogue: without the custom resources `plural` of `group`, and with `added`.
    pub(crate) fn replace(&self, group: &str, plural: &str, added: Vec<Arc<Served>>) -> Self {
        let is_kept = |it: &&Arc<Served>| {
            let resource = &it.resource;
            !(resource.is_custom() && resource.kind.group == group && &*resource.plural == plural)
        };
        self.iter().filter(is_kept).cloned().chain(added).collect()
    }

    /// What is served of an object, whose key is given below the root, and the rest of the key: in the version that is
    /// stored, if that one is served.
    pub(crate) fn at_key<'k>(&self, key: &'k str) -> Option<(&Arc<Served>, &'k str)> {
        let (first, rest) = key.split_once('/')?;
        let (second, below) = rest.split_once('/').unwrap_or((rest, ""));
        let two = key.get(..first.len() + 1 + second.len()).unwrap_or(key);
        let find = |group: &str, plural: &str| {
            let at = self.by_key.partition_point(|it| it.key_parts() < (group, plural));
            self.by_key.get(at).filter(|it| it.key_parts() == (group, plural))
        };
        let short = find("", first).map(|served| (served, rest));
        short.or_else(|| {
            let long = find("", two).or_else(|| find(first, second));
            long.map(|served| (served, below))
        })
    }
}

impl FromIterator<Arc<Served>> for Catalogue {
    fn from_iter<I: IntoIterator<Item = Arc<Served>>>(served: I) -> Self {
        let mut served: Vec<_> = served.into_iter().collect();
        served.sort_by(|left, right| left.path().cmp(&right.path()));
        let mut by_key = served.clone();
        by_key.sort_by_key(|it| !it.stores);
        by_key.sort_by(|left, right| left.key_parts().cmp(&right.key_parts()));
        Self { served, by_key }
    }
}
