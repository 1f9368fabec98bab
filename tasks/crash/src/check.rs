//! What is there after a crash, held against what was acknowledged and what was there before.

use crate::address::StoreAddress;
use crate::{Acknowledged, value};
use anyhow::{Context, Result, bail, ensure};
use crdkit_store::{RangeRequest, Revision, Store, WatchEvent};
use std::collections::BTreeMap;
use std::fmt;

/// What is known of the store.
#[derive(Debug)]
pub(crate) struct StoreCheck {
    revision: Revision,
    /// The number and the revision of each key's value.
    entries: BTreeMap<String, (u64, Revision)>,
    acknowledged: usize,
    changes: usize,
}

impl Default for StoreCheck {
    fn default() -> Self {
        StoreCheck {
            revision: Revision::FIRST,
            entries: BTreeMap::new(),
            acknowledged: 0,
            changes: 0,
        }
    }
}

impl fmt::Display for StoreCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} writes acknowledged, {} changes found", self.acknowledged, self.changes)
    }
}

impl StoreCheck {
    /// Up to where the store is known.
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// Opens the store and compares.
    pub(crate) fn compare(
        &mut self,
        address: &StoreAddress,
        acknowledged: &[Acknowledged],
    ) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let store = address.open().await?;
            self.compare_store(&*store, acknowledged).await
        })
    }

    async fn compare_store(
        &mut self,
        store: &dyn Store,
        acknowledged: &[Acknowledged],
    ) -> Result<()> {
        let page = store.range(RangeRequest::under("/registry/")).await?;
        let mut found = BTreeMap::new();
        // A watch that goes on where the last one ended sees every revision since, each once.
        let mut watch = store.watch("/registry/", self.revision).await?;
        while self.revision < page.revision {
            let WatchEvent::Change(change) = watch.next().await? else {
                bail!("no progress asked for")
            };
            ensure!(change.revision == self.revision.next(), "a gap after {}", self.revision);
            self.revision = change.revision;
            self.changes += 1;
            let key = change.key().to_owned();
            let before = self.entries.get(&key).map(|(_, revision)| *revision);
            let previous = change.previous.as_ref().map(|entry| entry.revision);
            ensure!(previous == before, "{key} had {previous:?}, not {before:?}");
            let number = change
                .current
                .as_ref()
                .map(|entry| value::read(&entry.value).with_context(|| format!("{key} is torn")));
            let number = number.transpose()?;
            match number {
                Some(number) => self.entries.insert(key.clone(), (number, change.revision)),
                None => self.entries.remove(&key),
            };
            found.insert(change.revision, (key, number));
        }
        for Acknowledged { revision, key, number } in acknowledged {
            let (found, value) =
                found.get(revision).with_context(|| format!("{key} at {revision} is lost"))?;
            ensure!(found == key && value == number, "{revision} is not the change of {key}");
        }
        self.acknowledged += acknowledged.len();
        let state = page.entries.iter().map(|entry| {
            let number = value::read(&entry.value).context("a value is torn")?;
            Ok((entry.key.to_string(), (number, entry.revision)))
        });
        let state = state.collect::<Result<BTreeMap<_, _>>>()?;
        ensure!(state == self.entries, "the state is not what the changes lead to");
        Ok(())
    }
}
