//! What is there after a crash, held against what was acknowledged.

use crate::write::{MAPS, WriterState};
use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use chaos::client::Connector;
use std::collections::BTreeMap;
use std::fmt;

/// What all writers know.
pub(crate) struct Expected {
    writers: Vec<WriterState>,
    acknowledged: u64,
    unanswered: u64,
}

impl Expected {
    pub(crate) fn new(writers: usize) -> Self {
        let state = |number| WriterState { number, ..WriterState::default() };
        Self { writers: (0..writers).map(state).collect(), acknowledged: 0, unanswered: 0 }
    }

    pub(crate) fn take(&mut self) -> Vec<WriterState> {
        std::mem::take(&mut self.writers)
    }

    pub(crate) fn give_back(&mut self, mut state: WriterState) {
        self.acknowledged += std::mem::take(&mut state.acknowledged);
        self.unanswered += u64::from(state.open.is_some());
        self.writers.push(state);
    }

    /// Compares with what a server has. What was not answered may have happened or not, and is known from now on.
    pub(crate) async fn compare(&mut self, connector: &Connector) -> Result<()> {
        let mut connection = connector.connect().await?;
        let (code, list) = connection.call("GET", MAPS, Bytes::new()).await?;
        ensure!(code == 200, "the list is answered with {code}");
        let list: serde_json::Value = serde_json::from_slice(&list)?;
        let version = list.pointer("/metadata/resourceVersion").and_then(|it| it.as_str());
        let version: u64 = version.context("no version")?.parse()?;
        let mut found = BTreeMap::new();
        for item in list.get("items").and_then(|it| it.as_array()).context("no items")? {
            let name = item.pointer("/metadata/name").and_then(|it| it.as_str());
            let number = item.pointer("/data/number").and_then(|it| it.as_str());
            if let (Some(name), Some(number)) = (name, number) {
                found.insert(name.to_owned(), number.parse::<u64>()?);
            }
        }
        for writer in &mut self.writers {
            ensure!(
                version >= writer.version,
                "version {version} is older than {}, which was answered",
                writer.version
            );
            if let Some((name, wanted)) = writer.open.take()
                && found.get(&name).copied() == wanted
            {
                match wanted {
                    Some(number) => writer.objects.insert(name, number),
                    None => writer.objects.remove(&name),
                };
            }
            for (name, number) in &writer.objects {
                let there = found.remove(name);
                ensure!(there == Some(*number), "{name} is {there:?} and not {number}");
            }
        }
        ensure!(found.is_empty(), "nobody wrote {found:?}");
        Ok(())
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} writes acknowledged, {} unanswered", self.acknowledged, self.unanswered)
    }
}
