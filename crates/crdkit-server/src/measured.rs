//! A store that notes how often it is asked and how long it takes, under the names by which people graph an etcd.

use crdkit_store::{
    Change, RangePage, RangeRequest, Revision, Snapshot, Store, StoreEntry, StoreError,
    StoreFuture, StoreHealth, Watch, Write, WriteAction,
};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Upper bounds of the times that operations took, in microseconds.
const BOUNDS: [u64; 8] = [100, 500, 1_000, 5_000, 25_000, 100_000, 500_000, 5_000_000];

/// What is asked of a store.
#[derive(Clone, Copy)]
enum StoreOperation {
    Get,
    List,
    Create,
    Update,
    Delete,
}

const OPERATIONS: [(StoreOperation, &str); 5] = [
    (StoreOperation::Get, "get"),
    (StoreOperation::List, "list"),
    (StoreOperation::Create, "create"),
    (StoreOperation::Update, "update"),
    (StoreOperation::Delete, "delete"),
];

#[derive(Debug, Default)]
struct OperationFigures {
    count: AtomicU64,
    errors: AtomicU64,
    microseconds: AtomicU64,
    buckets: [AtomicU64; BOUNDS.len()],
}

/// Figures of a store since the start.
#[derive(Debug, Default)]
pub(crate) struct StoreFigures([OperationFigures; OPERATIONS.len()]);

impl StoreFigures {
    fn note(&self, operation: StoreOperation, took: Duration, failed: bool) {
        let Some(figures) = self.0.get(operation as usize) else { return };
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let add = |figure: &AtomicU64, value| figure.fetch_add(value, Ordering::Relaxed);
        add(&figures.count, 1);
        add(&figures.errors, failed.into());
        add(&figures.microseconds, microseconds);
        for (bucket, bound) in figures.buckets.iter().zip(BOUNDS) {
            add(bucket, (microseconds <= bound).into());
        }
    }

    /// The figures as Prometheus reads them.
    pub(crate) fn text(&self, out: &mut String) {
        const TIME: &str = "etcd_request_duration_seconds";
        let read = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        let all = || self.0.iter().zip(OPERATIONS.map(|(_, name)| name));
        for (metric, help) in [
            ("etcd_requests_total", "Requests to the store."),
            ("etcd_request_errors_total", "Requests to the store that failed."),
        ] {
            let _ = writeln!(out, "# HELP {metric} {help}\n# TYPE {metric} counter");
            for (figures, name) in all() {
                let errors = metric == "etcd_request_errors_total";
                let value = read(if errors { &figures.errors } else { &figures.count });
                let _ = writeln!(out, "{metric}{{operation=\"{name}\"}} {value}");
            }
        }
        let _ = writeln!(out, "# HELP {TIME} Latency of the store.\n# TYPE {TIME} histogram");
        for (figures, name) in all() {
            let label = format!("operation=\"{name}\"");
            for (bucket, bound) in figures.buckets.iter().zip(BOUNDS) {
                let bound = Duration::from_micros(bound).as_secs_f64();
                let count = read(bucket);
                let _ = writeln!(out, "{TIME}_bucket{{{label},le=\"{bound}\"}} {count}");
            }
            let count = read(&figures.count);
            let sum = Duration::from_micros(read(&figures.microseconds)).as_secs_f64();
            let _ = writeln!(
                out,
                "{TIME}_bucket{{{label},le=\"+Inf\"}} {count}\n{TIME}_sum{{{label}}} {sum}\n{TIME}_count{{{label}}} {count}"
            );
        }
    }
}

/// A store whose operations are noted.
pub(crate) struct MeasuredStore {
    inner: Arc<dyn Store>,
    figures: Arc<StoreFigures>,
}

impl MeasuredStore {
    pub(crate) fn new(inner: Arc<dyn Store>, figures: &Arc<StoreFigures>) -> Self {
        Self { inner, figures: Arc::clone(figures) }
    }

    fn measured<'a, T: 'a>(
        &'a self,
        operation: StoreOperation,
        work: StoreFuture<'a, T>,
    ) -> StoreFuture<'a, T> {
        let started = Instant::now();
        Box::pin(async move {
            let result = work.await;
            let failed = match &result {
                // Somebody else was faster, which is no failure of the store.
                Err(StoreError::Conflict { .. }) | Ok(_) => false,
                Err(_) => true,
            };
            self.figures.note(operation, started.elapsed(), failed);
            result
        })
    }
}

impl Store for MeasuredStore {
    fn current(&self) -> StoreFuture<'_, Revision> {
        self.inner.current()
    }

    fn get<'a>(
        &'a self,
        key: &'a str,
        at: Option<Revision>,
    ) -> StoreFuture<'a, Option<Arc<StoreEntry>>> {
        self.measured(StoreOperation::Get, self.inner.get(key, at))
    }

    fn range(&self, request: RangeRequest) -> StoreFuture<'_, RangePage> {
        self.measured(StoreOperation::List, self.inner.range(request))
    }

    fn write(&self, write: Write) -> StoreFuture<'_, Arc<Change>> {
        let operation = match (&write.action, &write.expect) {
            (WriteAction::Delete, _) => StoreOperation::Delete,
            (_, crdkit_store::Expect::Absent) => StoreOperation::Create,
            _ => StoreOperation::Update,
        };
        self.measured(operation, self.inner.write(write))
    }

    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> StoreFuture<'a, Watch> {
        self.inner.watch(prefix, after)
    }

    fn compact(&self, at: Revision) -> StoreFuture<'_, ()> {
        self.inner.compact(at)
    }

    fn snapshot(&self) -> StoreFuture<'_, Snapshot> {
        self.inner.snapshot()
    }

    fn restore(&self, snapshot: Snapshot) -> StoreFuture<'_, Revision> {
        self.inner.restore(snapshot)
    }

    fn maintain(&self) -> StoreFuture<'_, ()> {
        self.inner.maintain()
    }

    fn health(&self) -> StoreFuture<'_, StoreHealth> {
        self.inner.health()
    }
}
