//! The process that is killed: several writers, each of which says on standard output what was acknowledged.

use crate::value;
use anyhow::{Context, Result};
use crdkit_store::suite::SchedulePlan;
use crdkit_store::{
    EmbeddedOptions, EmbeddedStore, Expect, Revision, Store, StoreError, SystemClock, Write,
};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

const WRITERS: u64 = 8;

/// Writes until it is killed. What was before the revision `keep` may be forgotten.
pub(crate) fn run(path: &Path, seed: &str, keep: &str) -> Result<()> {
    let seed: u64 = seed.parse()?;
    let keep = Revision(keep.parse()?);
    let store = EmbeddedStore::open(path, EmbeddedOptions::default(), Arc::new(SystemClock))?;
    let store = Arc::new(store);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| runtime.spawn(write(Arc::clone(&store), seed * WRITERS + writer, keep)))
        .collect();
    for writer in writers {
        runtime.block_on(writer)??;
    }
    Ok(())
}

async fn write(store: Arc<EmbeddedStore>, seed: u64, keep: Revision) -> Result<()> {
    let mut plan = SchedulePlan(seed);
    for count in 0_u64.. {
        let key = format!("/registry/k{:02}", plan.below(40));
        let number = (seed << 24) | count;
        let expect = match (plan.below(4), store.get(&key, None).await?) {
            (0, _) => Expect::Absent,
            (1, Some(entry)) => Expect::At(entry.revision),
            _ => Expect::Any,
        };
        let delete = plan.below(4) == 0;
        let write = if delete {
            Write::delete(&key, expect)
        } else {
            Write::put(&key, expect, value::make(number))
        };
        match store.write(write).await {
            Ok(change) => {
                let number = if delete { "-".to_owned() } else { number.to_string() };
                let line = format!("{} {key} {number}\n", change.revision);
                // One call per line, so that lines of several writers do not mix.
                std::io::stdout().write_all(line.as_bytes()).context("standard output")?;
            }
            Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        if plan.below(50) == 0 {
            store.compact(keep).await?;
        }
    }
    Ok(())
}
