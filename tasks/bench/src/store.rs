//! Bench `store`: the embedded store beside bare redb on the same disk, and what watchers cost.
//!
//! Single writes are measured alternately, one of each, and compared by their median, since the time of a sync varies a lot.

use crate::measure::{Entry, allocations, compare};
use anyhow::Result;
use crdkit_store::{
    EmbeddedOptions, EmbeddedStore, Expect, History, MemoryOptions, MemoryStore, RangeRequest,
    Revision, Store, SystemClock, Write,
};
use redb::{Database, ReadableDatabase, TableDefinition};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("bare");
const VALUE: usize = 2000;

pub(crate) fn run(_: &Path) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let runtime = Builder::new_multi_thread().worker_threads(2).build()?;
    let store = open(&directory.path().join("store"))?;
    let bare = Database::create(directory.path().join("bare"))?;
    let single = single_writes(&runtime, &store, &bare)?;
    many_writers(&runtime, &store, &bare, single)?;
    let (store, bare) = (open(&directory.path().join("range"))?, bare);
    ranges(&runtime, &store, &bare)?;
    watchers(&runtime)?;
    retained(&runtime)
}

fn open(path: &Path) -> Result<Arc<EmbeddedStore>> {
    let store = EmbeddedStore::open(path, EmbeddedOptions::default(), Arc::new(SystemClock))?;
    Ok(Arc::new(store))
}

fn key(number: usize) -> String {
    format!("/registry/example.com/widgets/default/widget-{number:06}")
}

fn value(number: usize) -> Vec<u8> {
    vec![u8::try_from(number % 251).unwrap_or(0); VALUE]
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
}

/// The seconds that a single write takes.
fn single_writes(runtime: &Runtime, store: &Arc<EmbeddedStore>, bare: &Database) -> Result<f64> {
    let (mut bare_times, mut store_times) = (Vec::new(), Vec::new());
    for number in 0..400 {
        let started = Instant::now();
        let transaction = bare.begin_write()?;
        transaction.open_table(TABLE)?.insert(key(number).as_bytes(), &value(number)[..])?;
        transaction.commit()?;
        bare_times.push(started.elapsed());
        let started = Instant::now();
        runtime.block_on(store.write(Write::create(&key(number), value(number))))?;
        store_times.push(started.elapsed());
    }
    let (bare, store) = (median(bare_times), median(store_times));
    println!("durable writes of {VALUE} bytes, median");
    println!("  bare redb      {:>10.1} µs", bare * 1e6);
    println!(
        "  one writer     {:>10.1} µs  {:>6.3} of the rate of bare redb",
        store * 1e6,
        bare / store
    );
    Ok(store)
}

const WRITERS: usize = 64;
const ROUNDS: usize = 50;

/// The number of what a writer writes in a round.
fn number_of(writer: usize, round: usize) -> usize {
    1000 + writer * ROUNDS + round
}

/// The same writes by bare redb, 64 in a transaction: what group commit can reach at best.
fn bare_batches(bare: &Database) -> Result<Duration> {
    let started = Instant::now();
    for round in 0..ROUNDS {
        let transaction = bare.begin_write()?;
        {
            let mut table = transaction.open_table(TABLE)?;
            for number in (0..WRITERS).map(|writer| number_of(writer, round)) {
                table.insert(key(number).as_bytes(), &value(number)[..])?;
            }
        }
        transaction.commit()?;
    }
    Ok(started.elapsed())
}

fn many_writers(
    runtime: &Runtime,
    store: &Arc<EmbeddedStore>,
    bare: &Database,
    single: f64,
) -> Result<()> {
    let started = Instant::now();
    let tasks: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = Arc::clone(store);
            runtime.spawn(async move {
                for number in (0..ROUNDS).map(|round| number_of(writer, round)) {
                    store.write(Write::create(&key(number), value(number))).await?;
                }
                anyhow::Ok(())
            })
        })
        .collect();
    for task in tasks {
        runtime.block_on(task)??;
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let each = |time: Duration| time.as_secs_f64() / (WRITERS * ROUNDS) as f64;
    let writers = each(started.elapsed());
    let bare = each(bare_batches(bare)?);
    let line = |name: &str, each: f64| {
        let times = single / each;
        println!("  {name:<14} {:>10.1} µs  {times:>6.1} times the rate of one writer", each * 1e6);
    };
    line(&format!("{WRITERS} writers"), writers);
    line("bare, batches", bare);
    println!();
    Ok(())
}

fn ranges(runtime: &Runtime, store: &EmbeddedStore, bare: &Database) -> Result<()> {
    const COUNT: usize = 10_000;
    let transaction = bare.begin_write()?;
    {
        let mut table = transaction.open_table(TABLE)?;
        table.retain(|_, _| false)?;
        for number in 0..COUNT {
            table.insert(key(number).as_bytes(), &value(number)[..])?;
        }
    }
    transaction.commit()?;
    let mut snapshot = runtime.block_on(store.snapshot())?;
    for number in 0..COUNT {
        let entry = crdkit_store::StoreEntry {
            key: key(number).into(),
            value: value(number).into(),
            revision: Revision(2),
            created: Revision(2),
        };
        let entry = Arc::new(entry);
        snapshot.entries.push(crdkit_store::SnapshotEntry { entry, expires: None });
    }
    runtime.block_on(store.restore(snapshot))?;
    let collect = || -> Result<usize> {
        let table = bare.begin_read()?.open_table(TABLE)?;
        let mut rows = Vec::new();
        for row in table.range::<&[u8]>(..)? {
            let (key, value) = row?;
            rows.push((key.value().to_vec(), value.value().to_vec()));
        }
        Ok(black_box(rows).len())
    };
    let request = RangeRequest::under("/registry/");
    let entries = vec![
        Entry::new("bare redb", 1, || {
            let _ = black_box(collect());
        }),
        Entry::new("store", 1, || {
            let _ = black_box(runtime.block_on(store.range(request.clone())));
        }),
    ];
    let times = compare("range of 10,000 values", COUNT * VALUE, 40, "bare redb", entries);
    println!("  {:.3} of the rate of bare redb\n", times.of("bare redb") / times.of("store"));
    Ok(())
}

fn memory(history: History) -> Arc<MemoryStore> {
    let options = MemoryOptions { history, ..MemoryOptions::default() };
    Arc::new(MemoryStore::new(options, Arc::new(SystemClock)))
}

fn watchers(runtime: &Runtime) -> Result<()> {
    const WATCHERS: usize = 1000;
    const EVENTS: usize = 500;
    let store = memory(History::default());
    let mut tasks = Vec::new();
    for _ in 0..WATCHERS {
        let mut watch = runtime.block_on(store.watch("/registry/", Revision::FIRST))?;
        tasks.push(runtime.spawn(async move {
            for _ in 0..EVENTS {
                black_box(watch.next().await?);
            }
            anyhow::Ok(())
        }));
    }
    let started = Instant::now();
    let writer = Arc::clone(&store);
    runtime.block_on(async move {
        for number in 0..EVENTS {
            writer.write(Write::put(&key(number % 10), Expect::Any, value(number))).await?;
            // Gives the watchers a chance after each event, as requests that come one by one do.
            tokio::task::yield_now().await;
        }
        anyhow::Ok(())
    })?;
    for task in tasks {
        runtime.block_on(task)??;
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let each = started.elapsed().as_secs_f64() / (WATCHERS * EVENTS) as f64;
    println!("{WATCHERS} watchers of one prefix: {:.3} µs per event and watcher\n", each * 1e6);
    Ok(())
}

fn retained(runtime: &Runtime) -> Result<()> {
    const EVENTS: usize = 10_000;
    let store = memory(History { count: EVENTS, ..History::default() });
    let write = |number: usize| {
        runtime.block_on(store.write(Write::put(&key(number % 100), Expect::Any, value(number))))
    };
    // The ring is full and every key is there before the counting starts.
    (0..100).try_for_each(|number| write(number).map(drop))?;
    let (result, memory) =
        allocations(|| (0..EVENTS).try_for_each(|number| write(number).map(drop)));
    result?;
    let held = memory.held_each(EVENTS);
    #[expect(clippy::cast_precision_loss, reason = "bytes for people")]
    let beyond = held - VALUE as f64;
    println!("a retained event: {held:.0} bytes for a value of {VALUE}, {beyond:.0} beyond it");
    Ok(())
}
