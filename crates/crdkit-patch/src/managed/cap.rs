//! Not more than ten updates are told apart: the oldest become one, `ancient-changes`.

use super::entry::{Entry, ManagedOperation};
use crate::set::Set;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem;

const MAX_UPDATES: usize = 10;
const ANCIENT: &str = "ancient-changes";

/// Joins the oldest updates of a version until there are few enough.
pub(super) fn cap(entries: &mut Vec<Entry<'_>>) {
    let is_update = |entry: &Entry<'_>| entry.operation == ManagedOperation::Update;
    let mut n_updates = entries.iter().filter(|entry| is_update(entry)).count();
    if n_updates <= MAX_UPDATES {
        return;
    }
    let (mut updates, applies): (Vec<_>, Vec<_>) =
        mem::take(entries).into_iter().partition(is_update);
    updates.sort_by_cached_key(|entry| (entry.seconds(), entry.identity()));
    // The first update of each version stays as it is as long as it is alone; others are joined with it, or with what was joined
    // before.
    let ancient = |entry: &Entry<'_>| entry.manager == ANCIENT && entry.subresource.is_empty();
    let buckets = updates.iter().enumerate().filter(|(_, entry)| ancient(entry));
    let mut buckets: BTreeMap<&str, usize> =
        buckets.map(|(at, entry)| (entry.api_version, at)).collect();
    let mut firsts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut joined: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, update) in updates.iter().enumerate() {
        if n_updates <= MAX_UPDATES {
            break;
        }
        let Some(first) = firsts.get(update.api_version).copied() else {
            firsts.insert(update.api_version, at);
            continue;
        };
        let bucket = *buckets.entry(update.api_version).or_insert(first);
        if bucket != at {
            joined.entry(bucket).or_default().push(at);
            n_updates -= 1;
        }
    }
    let mut updates: Vec<Option<Entry<'_>>> = updates.into_iter().map(Some).collect();
    for (bucket, parts) in joined {
        let parts = parts.into_iter().filter_map(|at| updates.get_mut(at)?.take());
        let (times, fields): (Vec<_>, Vec<_>) =
            parts.map(|part| (part.time, part.fields.into_set())).unzip();
        if let Some(Some(bucket)) = updates.get_mut(bucket) {
            bucket.manager = Cow::Borrowed(ANCIENT);
            bucket.subresource = "";
            bucket.item = None;
            bucket.time = times.into_iter().next_back().flatten();
            bucket.change(|own| Set::union_of([own].into_iter().chain(fields).collect()));
        }
    }
    *entries = applies;
    entries.extend(updates.into_iter().flatten());
}
