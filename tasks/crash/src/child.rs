//! The process that is killed: several writers, each of which says on standard output what was acknowledged.

use crate::address::StoreAddress;
use crate::value;
use anyhow::{Context, Result};
use crdkit_store::suite::SchedulePlan;
use crdkit_store::{Expect, Revision, Store, StoreError, Write};
use std::io::Write as _;
use std::sync::Arc;

const WRITERS: u64 = 8;

/// Writes until it is killed. What was before the revision `keep` may be forgotten.
pub(crate) fn run(address: &StoreAddress, seed: &str, keep: &str) -> Result<()> {
    let seed: u64 = seed.parse()?;
    let keep = Revision(keep.parse()?);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let store = runtime.block_on(address.open())?;
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| runtime.spawn(write(Arc::clone(&store), seed * WRITERS + writer, keep)))
        .collect();
    for writer in writers {
        runtime.block_on(writer)??;
    }
    Ok(())
}

async fn write(store: Arc<dyn Store>, seed: u64, keep: Revision) -> Result<()> {
    let mut plan = SchedulePlan(seed);
    for count in 0_u64.. {
        let key = format!("/registry/k{:02}", plan.below(40));
        let number = (seed << 24) | count;
        let Some(current) = passing(store.get(&key, None).await)? else { continue };
        let expect = match (plan.below(4), current) {
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
        match passing(store.write(write).await) {
            Ok(None) | Err(StoreError::Conflict { .. }) => {}
            Ok(Some(change)) => {
                let number = if delete { "-".to_owned() } else { number.to_string() };
                let line = format!("{} {key} {number}\n", change.revision);
                // One call per line, so that lines of several writers do not mix.
                std::io::stdout().write_all(line.as_bytes()).context("standard output")?;
            }
            Err(error) => return Err(error.into()),
        }
        if plan.below(50) == 0 {
            passing(store.compact(keep).await)?;
        }
    }
    Ok(())
}

/// Nothing where a server is away for a moment.
fn passing<T>(result: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::Unavailable(_) | StoreError::Unknown(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
