//! The operations of the contract as calls to etcd.

use crate::client::{EtcdClient, LIVES, RANGE, TXN, revision};
use crate::convert::{entry, entry_of, number, span};
use crate::housekeeping::{self, SharedCompaction, SharedLease};
use crate::messages::{
    CREATE, CompareTo, DeleteQuery, EQUAL, GREATER, LeaseAnswer, LeaseQuery, MOD, PutQuery,
    RangeAnswer, RangeQuery, TxnAnswer, TxnCompare, TxnOperation, TxnQuery, TxnStep, TxnStepAnswer,
};
use crate::options::EtcdOptions;
use crate::watch::EtcdWatch;
use crdkit_store::{
    Change, Clock, Expect, Millis, RangePage, RangeRequest, Revision, Snapshot, SnapshotEntry,
    Store, StoreEntry, StoreError, StoreFuture, StoreHealth, Watch, Write, WriteAction,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;
use tonic::Code;

/// Keys and values in an etcd.
pub struct EtcdStore {
    client: Arc<EtcdClient>,
    options: EtcdOptions,
    clock: Arc<dyn Clock>,
    lease: Mutex<Option<SharedLease>>,
    compaction: Mutex<SharedCompaction>,
    /// A revision before which nothing is retained.
    oldest: AtomicU64,
    prompt_progress: bool,
}

impl EtcdStore {
    /// Connects, and asks for the version.
    pub async fn connect(
        options: EtcdOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<EtcdStore, StoreError> {
        let client = Arc::new(EtcdClient::new(&options)?);
        let prompt_progress = answers_progress(&client.version().await?);
        Ok(EtcdStore {
            client,
            options,
            clock,
            lease: Mutex::default(),
            compaction: Mutex::default(),
            oldest: AtomicU64::new(Revision::FIRST.0),
            prompt_progress,
        })
    }

    /// Whether this etcd answers a request for progress, and rightly.
    pub fn prompt_progress(&self) -> bool {
        self.prompt_progress
    }

    async fn read_range(&self, query: RangeQuery) -> Result<RangeAnswer, StoreError> {
        self.client.read(RANGE, query).await
    }

    async fn get_entry(
        &self,
        key: &str,
        at: Option<Revision>,
    ) -> Result<Option<Arc<StoreEntry>>, StoreError> {
        let query = RangeQuery {
            key: key.as_bytes().to_vec(),
            revision: at.map_or(0, number),
            ..RangeQuery::default()
        };
        entry_of(self.read_range(query).await?.kvs.first())
    }

    async fn read_page(&self, request: &RangeRequest) -> Result<RangePage, StoreError> {
        let (key, range_end) = span(request.start(), &request.prefix);
        let empty = range_end != [0] && key >= range_end;
        let query = RangeQuery {
            key,
            range_end: if empty { Vec::new() } else { range_end },
            limit: i64::try_from(request.limit).unwrap_or(0),
            revision: request.at.map_or(0, number),
            count_only: empty,
        };
        let mut answer = self.read_range(query).await?;
        if empty {
            (answer.count, answer.more) = (0, false);
            answer.kvs.clear();
        }
        let entries = answer.kvs.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let rest = answer.count.unsigned_abs().saturating_sub(entries.len() as u64);
        Ok(RangePage {
            revision: request.at.unwrap_or_else(|| revision(answer.header.as_ref())),
            entries,
            more: answer.more,
            remaining: request.count.then_some(rest),
        })
    }

    async fn write_entry(&self, write: Write) -> Result<Arc<Change>, StoreError> {
        self.options.limits.check(&write)?;
        let key = write.key.as_bytes().to_vec();
        let compare = |result, target, to| {
            vec![TxnCompare { result, target, key: key.clone(), to: Some(to) }]
        };
        let delete = write.action == WriteAction::Delete;
        let compare = match write.expect {
            // For etcd a revision of 0 is that of a key which does not exist.
            Expect::At(Revision(0)) => return self.conflict(&write.key).await,
            Expect::Absent if delete => return self.conflict(&write.key).await,
            Expect::Absent => compare(EQUAL, MOD, CompareTo::ModRevision(0)),
            Expect::At(at) => compare(EQUAL, MOD, CompareTo::ModRevision(number(at))),
            Expect::Any if delete => compare(GREATER, CREATE, CompareTo::CreateRevision(0)),
            Expect::Any => Vec::new(),
        };
        let success = match &write.action {
            WriteAction::Delete => TxnStep::Delete(DeleteQuery { key: key.clone(), prev_kv: true }),
            WriteAction::Put { value, ttl } => {
                let lease = match ttl {
                    Some(ttl) => {
                        let mut last = self.lease.lock().await;
                        let now = self.clock.now();
                        housekeeping::lease(&self.client, &mut last, *ttl, now).await?
                    }
                    None => 0,
                };
                TxnStep::Put(PutQuery {
                    key: key.clone(),
                    value: value.clone(),
                    lease,
                    prev_kv: true,
                })
            }
        };
        let failure = TxnStep::Range(RangeQuery { key: key.clone(), ..RangeQuery::default() });
        let query = TxnQuery {
            compare,
            success: vec![TxnOperation { request: Some(success) }],
            failure: vec![TxnOperation { request: Some(failure) }],
        };
        let answer: TxnAnswer = match self.client.call(TXN, query).await {
            Ok(answer) => answer,
            Err(failure) => {
                let text = failure.status.message().to_owned();
                let decided = matches!(
                    failure.status.code(),
                    Code::InvalidArgument
                        | Code::ResourceExhausted
                        | Code::PermissionDenied
                        | Code::Unauthenticated
                        | Code::FailedPrecondition
                );
                return Err(if text.contains("request is too large") {
                    let (size, limit) = (write_size(&write), self.options.limits.value);
                    StoreError::TooLarge { what: "value", size, limit }
                } else if decided || !failure.sent {
                    StoreError::Unavailable(text)
                } else {
                    StoreError::Unknown(text)
                });
            }
        };
        let at = revision(answer.header.as_ref());
        let step = answer.responses.into_iter().next().and_then(|answer| answer.response);
        if !answer.succeeded {
            let found = match &step {
                Some(TxnStepAnswer::Range(range)) => range.kvs.first(),
                _ => None,
            };
            return Err(StoreError::Conflict { current: entry_of(found)? });
        }
        let previous = entry_of(match &step {
            Some(TxnStepAnswer::Put(put)) => put.prev_kv.as_ref(),
            Some(TxnStepAnswer::Delete(delete)) => delete.prev_kvs.first(),
            _ => None,
        })?;
        let current = match write.action {
            WriteAction::Delete => None,
            WriteAction::Put { value, .. } => {
                let created = previous.as_ref().map_or(at, |entry| entry.created);
                Some(Arc::new(StoreEntry { key: write.key, value, revision: at, created }))
            }
        };
        Ok(Arc::new(Change { revision: at, current, previous }))
    }

    /// A write whose expectation cannot hold.
    async fn conflict(&self, key: &str) -> Result<Arc<Change>, StoreError> {
        Err(StoreError::Conflict { current: self.get_entry(key, None).await? })
    }

    async fn take_snapshot(&self) -> Result<Snapshot, StoreError> {
        let request = RangeRequest { limit: 1000, ..RangeRequest::under(&self.options.root) };
        let mut next = Some(request);
        let mut snapshot = Snapshot { revision: Revision(0), entries: Vec::new() };
        let mut ends = BTreeMap::new();
        while let Some(request) = next {
            let (key, range_end) = span(request.start(), &request.prefix);
            let query = RangeQuery {
                key,
                range_end,
                limit: i64::try_from(request.limit).unwrap_or(0),
                revision: request.at.map_or(0, number),
                count_only: false,
            };
            let answer = self.read_range(query).await?;
            let mut page = RangePage {
                revision: request.at.unwrap_or_else(|| revision(answer.header.as_ref())),
                entries: Vec::new(),
                more: answer.more,
                remaining: None,
            };
            for kv in &answer.kvs {
                let entry = entry(kv)?;
                page.entries.push(Arc::clone(&entry));
                let expires = match (kv.lease, ends.get(&kv.lease)) {
                    (0, _) => None,
                    (_, Some(end)) => Some(*end),
                    (lease, None) => {
                        let end = self.lease_end(lease).await?;
                        ends.insert(lease, end);
                        Some(end)
                    }
                };
                snapshot.entries.push(SnapshotEntry { entry, expires });
            }
            snapshot.revision = page.revision;
            next = request.after(&page);
        }
        Ok(snapshot)
    }

    /// When a lease ends.
    async fn lease_end(&self, lease: i64) -> Result<Millis, StoreError> {
        let answer: LeaseAnswer = self.client.read(LIVES, LeaseQuery { id: lease }).await?;
        let left = Duration::from_secs(u64::try_from(answer.ttl).unwrap_or(0));
        Ok(self.clock.now().plus(left))
    }

    async fn check_health(&self) -> Result<StoreHealth, StoreError> {
        let known = Revision(self.oldest.load(Ordering::Relaxed));
        let query = RangeQuery {
            key: b"/".to_vec(),
            count_only: true,
            revision: number(known),
            ..RangeQuery::default()
        };
        match self.read_range(query).await {
            Ok(answer) => {
                Ok(StoreHealth { current: revision(answer.header.as_ref()), oldest: known })
            }
            Err(StoreError::Compacted { at }) => {
                self.oldest.store(at.0, Ordering::Relaxed);
                Ok(StoreHealth { current: self.client.current().await?, oldest: at })
            }
            Err(error) => Err(error),
        }
    }
}

fn write_size(write: &Write) -> usize {
    match &write.action {
        WriteAction::Put { value, .. } => value.len(),
        WriteAction::Delete => 0,
    }
}

/// Whether a version answers requests for progress only when all changes up to it were sent.
fn answers_progress(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let version = [(); 3].map(|()| parts.next().unwrap_or(0));
    match version {
        [3, 4, patch] => patch >= 25,
        [3, 5, patch] => patch >= 8,
        version => version >= [3, 6, 0],
    }
}

impl Store for EtcdStore {
    fn current(&self) -> StoreFuture<'_, Revision> {
        Box::pin(self.client.current())
    }

    fn get<'a>(
        &'a self,
        key: &'a str,
        at: Option<Revision>,
    ) -> StoreFuture<'a, Option<Arc<StoreEntry>>> {
        Box::pin(self.get_entry(key, at))
    }

    fn range(&self, request: RangeRequest) -> StoreFuture<'_, RangePage> {
        Box::pin(async move { self.read_page(&request).await })
    }

    fn write(&self, write: Write) -> StoreFuture<'_, Arc<Change>> {
        Box::pin(self.write_entry(write))
    }

    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> StoreFuture<'a, Watch> {
        Box::pin(async move {
            let client = Arc::clone(&self.client);
            Ok(Watch::new(EtcdWatch::new(client, prefix, after, self.prompt_progress)))
        })
    }

    fn compact(&self, at: Revision) -> StoreFuture<'_, ()> {
        Box::pin(housekeeping::compact(&self.client, at))
    }

    fn snapshot(&self) -> StoreFuture<'_, Snapshot> {
        Box::pin(self.take_snapshot())
    }

    fn restore(&self, _: Snapshot) -> StoreFuture<'_, Revision> {
        let why = "an etcd is restored with its own tools, since revisions cannot be set";
        Box::pin(std::future::ready(Err(StoreError::Unsupported(why))))
    }

    fn maintain(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let Some(interval) = self.options.compaction else { return Ok(()) };
            let mut compaction = self.compaction.lock().await;
            compaction.tend(&self.client, interval, self.clock.now()).await
        })
    }

    fn health(&self) -> StoreFuture<'_, StoreHealth> {
        Box::pin(self.check_health())
    }
}

#[cfg(test)]
mod tests {
    use super::answers_progress;

    #[test]
    fn versions_that_answer_too_early_are_known() {
        for (version, answers) in [
            ("3.4.23", false),
            ("3.4.25", true),
            ("3.5.7", false),
            ("3.5.13", true),
            ("3.6.0", true),
            ("3.7.0-rc.1", true),
        ] {
            assert_eq!(answers_progress(version), answers, "{version}");
        }
    }
}
