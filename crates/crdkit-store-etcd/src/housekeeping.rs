//! Leases for entries that expire, and compaction that replicas agree on.

use crate::client::{COMPACT, EtcdClient, GRANT, TXN, revision};
use crate::convert::number;
use crate::messages::{
    CompactQuery, CompareTo, EQUAL, LeaseAnswer, LeaseGrant, NoContent, PutQuery, RangeQuery,
    TxnAnswer, TxnCompare, TxnOperation, TxnQuery, TxnStep, TxnStepAnswer, VERSION,
};
use crdkit_store::{Millis, Revision, StoreError};
use std::time::Duration;

/// The key that kube-apiserver uses.
const COMPACTION_KEY: &[u8] = b"compact_rev_key";
/// How many entries share a lease at most.
const SHARED: u32 = 1000;

/// A lease that may be used for more entries of the same lifetime.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedLease {
    id: i64,
    ttl: Duration,
    /// Until when an entry that is written with it lives long enough.
    until: Millis,
    uses: u32,
}

/// A lease for an entry: the last one if it fits, or a new one. An entry lives at most a twentieth longer than it was asked for.
pub(crate) async fn lease(
    client: &EtcdClient,
    last: &mut Option<SharedLease>,
    ttl: Duration,
    now: Millis,
) -> Result<i64, StoreError> {
    if let Some(lease) = last
        && lease.ttl == ttl
        && now <= lease.until
        && lease.uses < SHARED
    {
        lease.uses += 1;
        return Ok(lease.id);
    }
    let window = (ttl / 20).min(Duration::from_mins(1));
    let seconds = (ttl + window).as_millis().div_ceil(1000);
    let grant = LeaseGrant { ttl: i64::try_from(seconds).unwrap_or(i64::MAX) };
    let granted: LeaseAnswer = client.read(GRANT, grant).await?;
    *last = Some(SharedLease { id: granted.id, ttl, until: now.plus(window), uses: 1 });
    Ok(granted.id)
}

/// What is known of the compaction that replicas share.
#[derive(Debug, Default)]
pub(crate) struct SharedCompaction {
    /// When it was last looked after.
    looked: Option<Millis>,
    /// How often the key was written, as last seen.
    version: i64,
    /// The revision at that time.
    then: Revision,
}

impl SharedCompaction {
    /// Whoever writes the key first in an interval compacts at the revision of one interval ago; the others take note.
    pub(crate) async fn tend(
        &mut self,
        client: &EtcdClient,
        interval: Duration,
        now: Millis,
    ) -> Result<(), StoreError> {
        if self.looked.is_some_and(|looked| looked.plus(interval) > now) {
            return Ok(());
        }
        let operation = |step| vec![TxnOperation { request: Some(step) }];
        let key = COMPACTION_KEY.to_vec();
        let put = PutQuery {
            key: key.clone(),
            value: self.then.to_string().into(),
            ..PutQuery::default()
        };
        let unchanged = TxnCompare {
            result: EQUAL,
            target: VERSION,
            key: key.clone(),
            to: Some(CompareTo::Version(self.version)),
        };
        let query = TxnQuery {
            compare: vec![unchanged],
            success: operation(TxnStep::Put(put)),
            failure: operation(TxnStep::Range(RangeQuery { key, ..RangeQuery::default() })),
        };
        let answer: TxnAnswer = client.read(TXN, query).await?;
        let then = std::mem::replace(&mut self.then, revision(answer.header.as_ref()));
        self.looked = Some(now);
        if answer.succeeded {
            self.version += 1;
            return if then == Revision(0) { Ok(()) } else { compact(client, then).await };
        }
        if let Some(TxnStepAnswer::Range(range)) =
            answer.responses.into_iter().next().and_then(|answer| answer.response)
        {
            self.version = range.kvs.first().map_or(0, |kv| kv.version);
        }
        Ok(())
    }
}

/// Forgets what was before a revision. What is forgotten already is not an error.
pub(crate) async fn compact(client: &EtcdClient, at: Revision) -> Result<(), StoreError> {
    let query = CompactQuery { revision: number(at) };
    match client.read::<_, NoContent>(COMPACT, query).await {
        Ok(_) | Err(StoreError::Compacted { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
