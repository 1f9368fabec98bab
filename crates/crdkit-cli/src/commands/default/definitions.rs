//! CRDs with the files they are in, so that a default can be traced to its line.

use crate::crds;
use crate::input::Input;
use crate::limits;
use crate::objects::Identity;
use crate::source::{self, Client, Purpose};
use anyhow::{Result, bail};
use crdkit_engine::Crd;
use crdkit_issue::LineIndex;
use crdkit_schema::set::CrdDefinition;
use crdkit_value::Value;
use std::sync::Arc;

/// A CRD and where it is.
pub(crate) struct LocatedCrd {
    crd: CrdDefinition,
    file: Arc<str>,
    bytes: Arc<[u8]>,
}

/// All CRDs; of two for the same kind the later one counts.
#[derive(Default)]
pub(crate) struct LocatedCrds(Vec<LocatedCrd>);

impl LocatedCrds {
    pub(crate) fn load(sources: &[String], client: &Client) -> Result<Self> {
        let mut all = Self::default();
        for source in sources {
            let before = all.0.len();
            for entry in source::find(source, Purpose::Crds, client)?.entries {
                all.add(&entry.read()?);
            }
            if all.0.len() == before {
                bail!("there is no CustomResourceDefinition in `{source}`");
            }
        }
        Ok(all)
    }

    /// Takes the CRDs out of `input`.
    pub(crate) fn add(&mut self, input: &Input) {
        let (crds, _) = crds::of_input(input, true);
        if crds.is_empty() {
            return;
        }
        let bytes: Arc<[u8]> = input.bytes.as_slice().into();
        self.0.extend(crds.into_iter().map(|decoded| LocatedCrd {
            crd: limits::definition(decoded.document),
            file: Arc::clone(&input.name),
            bytes: Arc::clone(&bytes),
        }));
    }

    pub(crate) fn get(&self, identity: &Identity) -> Option<&LocatedCrd> {
        let kind = &identity.gvk;
        let same = |crd: &CrdDefinition| crd.group() == kind.group && crd.kind() == kind.kind;
        self.0.iter().rev().find(|definition| same(&definition.crd))
    }
}

impl LocatedCrd {
    pub(crate) fn compiled(&self) -> Result<Crd, String> {
        crds::compiled(&self.crd)
    }

    /// The file and line of the default of `value`, as `version` has it.
    pub(crate) fn origin(&self, version: &str, value: Value<'_>) -> Option<String> {
        let versions = self.crd.document()?.root().pointer("/spec/versions")?;
        let named = |it: &Value<'_>| it.get("name").and_then(Value::as_str) == Some(version);
        let mut schema = versions.items().find(named)?.pointer("/schema/openAPIV3Schema")?;
        let mut steps = Vec::new();
        let mut here = value;
        while let Some(parent) = here.parent() {
            steps.push(here.key());
            here = parent;
        }
        for step in steps.into_iter().rev() {
            schema = match step {
                Some(key) => schema
                    .get("properties")
                    .and_then(|properties| properties.get(key))
                    .or_else(|| schema.get("additionalProperties"))?,
                None => schema.get("items")?,
            };
        }
        let default = schema.get("default")?;
        let place = default.document().place(default.id())?;
        let at = place.key.unwrap_or(place.value).start;
        let line = LineIndex::new(&self.bytes).position(&self.bytes, at).line;
        Some(format!("{}:{line}", self.file))
    }
}
