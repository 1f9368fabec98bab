//! Not more than ten updates are told apart: the oldest become one, `ancient-changes`.

use super::entry::{Entry, Operation};
use std::borrow::Cow;
use std::mem;

const MAX_UPDATES: usize = 10;
const ANCIENT: &str = "ancient-changes";

/// Joins the oldest updates of a version until there are few enough.
pub(super) fn cap(entries: &mut Vec<Entry<'_>>) {
    let is_update = |entry: &Entry<'_>| entry.operation == Operation::Update;
    let mut n_updates = entries.iter().filter(|entry| is_update(entry)).count();
    if n_updates <= MAX_UPDATES {
        return;
    }
    let (mut updates, applies): (Vec<_>, Vec<_>) =
        mem::take(entries).into_iter().partition(is_update);
    updates.sort_by_cached_key(|entry| (entry.seconds(), entry.identity()));
    // The first update of each version stays as it is as long as it is alone.
    let mut firsts: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < updates.len() && n_updates > MAX_UPDATES {
        let Some(update) = updates.get(at) else { break };
        let is_same = |entry: &Entry<'_>| entry.api_version == update.api_version;
        let is_bucket = |entry: &Entry<'_>| {
            is_same(entry) && entry.manager == ANCIENT && entry.subresource.is_empty()
        };
        let first = firsts.iter().copied().find(|first| updates.get(*first).is_some_and(is_same));
        let bucket = updates.iter().position(is_bucket).or(first);
        let (Some(_), Some(bucket)) = (first, bucket.filter(|bucket| *bucket != at)) else {
            firsts.push(at);
            at += 1;
            continue;
        };
        let update = updates.remove(at);
        let bucket = bucket - usize::from(bucket > at);
        if let Some(bucket) = updates.get_mut(bucket) {
            bucket.manager = Cow::Borrowed(ANCIENT);
            bucket.subresource = "";
            bucket.change(|fields| update.fields.union(fields));
            bucket.time = update.time;
        }
        n_updates -= 1;
    }
    *entries = applies;
    entries.extend(updates);
}
