//! The contract as tests. Every store passes all of it: [`run`] takes a store and panics at the first promise that does not hold.
//!
//! A case is a function whose name says what is promised. Cases only use keys below the given prefix and leave nothing to each other
//! but a larger revision, so they can share one store.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::cast_possible_truncation,
    reason = "tests in the form of a library"
)]

mod history;
mod model;
mod reads;
mod watches;
mod writes;

pub use model::{SchedulePlan, StoreModel};

use crate::{Change, Expect, RangeRequest, Revision, Store, StoreEntry, Watch, WatchEvent, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Lets time pass.
pub type ElapseTime =
    Box<dyn Fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// The store under test.
pub struct StoreSubject {
    /// The store.
    pub store: Arc<dyn Store>,
    /// Where its keys are; ends with `/`.
    pub prefix: String,
    /// Lets time pass for the store.
    pub elapse: ElapseTime,
    /// Whether progress follows a request at once.
    pub prompt_progress: bool,
    /// Whether it can be restored from a snapshot.
    pub restores: bool,
    /// After how many changes a watcher that reads nothing is told that it lags, if ever.
    pub lag: Option<usize>,
}

type SuiteCase = for<'a> fn(&'a StoreSubject) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

macro_rules! cases {
    ($($module:ident: $($case:ident),+;)+) => {
        &[$($((stringify!($case), |subject| Box::pin($module::$case(subject)))),+),+]
    };
}

/// All cases by name.
pub const CASES: &[(&str, SuiteCase)] = cases![
    writes: a_write_happens_where_its_expectation_holds, every_change_has_its_own_revision,
        a_key_written_again_is_created_anew, one_of_many_equal_writes_wins, increments_are_not_lost,
        what_is_too_large_is_refused, an_entry_expires_after_its_time;
    reads: a_range_is_ordered_and_keeps_to_its_prefix, pages_fit_together, a_revision_is_read_as_it_was,
        the_future_cannot_be_read, a_store_in_use_is_healthy;
    watches: a_watch_gives_what_it_missed, a_watch_waits_for_what_comes, a_watch_can_start_in_the_future,
        a_watch_keeps_to_its_prefix, nothing_is_lost_between_a_list_and_a_watch, progress_follows_the_changes,
        watchers_do_not_disturb_each_other, who_falls_back_is_told;
    history: what_is_compacted_is_refused, a_restored_store_is_the_snapshot;
    model: random_schedules_match_the_model;
];

/// Runs all cases, each below a prefix of its own.
pub async fn run(subject: &mut StoreSubject) {
    let prefix = subject.prefix.clone();
    for (name, case) in CASES {
        subject.prefix = format!("{prefix}{name}/");
        case(subject).await;
    }
    subject.prefix = prefix;
}

impl StoreSubject {
    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    async fn put(&self, name: &str, expect: Expect, value: &str) -> Arc<Change> {
        let write = Write::put(&self.key(name), expect, value.to_owned());
        self.store.write(write).await.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    async fn delete(&self, name: &str) -> Arc<Change> {
        let write = Write::delete(&self.key(name), Expect::Any);
        self.store.write(write).await.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    async fn get(&self, name: &str) -> Option<Arc<StoreEntry>> {
        self.store.get(&self.key(name), None).await.unwrap()
    }

    /// Names and values under the prefix.
    async fn list(&self, at: Option<Revision>) -> Vec<(String, String)> {
        let request = RangeRequest { at, ..RangeRequest::under(&self.prefix) };
        let page = self.store.range(request).await.unwrap();
        page.entries.iter().map(|entry| (self.name(&entry.key), text(entry))).collect()
    }

    fn name(&self, key: &str) -> String {
        key.strip_prefix(&self.prefix).unwrap_or(key).to_owned()
    }

    async fn current(&self) -> Revision {
        self.store.current().await.unwrap()
    }

    async fn watch(&self, after: Revision) -> Watch {
        self.store.watch(&self.prefix, after).await.unwrap()
    }
}

fn text(entry: &StoreEntry) -> String {
    String::from_utf8(entry.value.to_vec()).unwrap()
}

/// The next change; other events are not expected.
async fn change(watch: &mut Watch) -> Arc<Change> {
    match tokio::time::timeout(Duration::from_secs(30), watch.next()).await {
        Ok(Ok(WatchEvent::Change(change))) => change,
        other => panic!("expected a change, got {other:?}"),
    }
}

/// Nothing comes.
async fn silence(watch: &mut Watch) {
    let event = tokio::time::timeout(Duration::from_millis(50), watch.next()).await;
    assert!(event.is_err(), "expected nothing, got {event:?}");
}
