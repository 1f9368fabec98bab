//! Measures alternatives in turn, so that a change of the machine's pace meets all of them alike.

use std::time::{Duration, Instant};

/// One way to do the work.
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a str,
    pub(crate) run: Box<dyn FnMut() + 'a>,
}

impl<'a> Entry<'a> {
    /// An entry that does `run` so many times in a round.
    pub(crate) fn new(name: &'a str, repeat: usize, mut run: impl FnMut() + 'a) -> Self {
        Self { name, run: Box::new(move || (0..repeat).for_each(|_| run())) }
    }
}

/// What some work took from the allocator.
pub(crate) struct Memory {
    pub(crate) count: usize,
    /// Bytes that are still held by what the work made.
    held: usize,
}

/// Counts what `run` allocates; what it gives is alive while counting.
pub(crate) fn allocations<T>(run: impl FnOnce() -> T) -> (T, Memory) {
    let region = stats_alloc::Region::new(crate::ALLOCATOR);
    let made = run();
    let stats = region.change();
    let held = stats.bytes_allocated.saturating_sub(stats.bytes_deallocated);
    (made, Memory { count: stats.allocations + stats.reallocations, held })
}

#[expect(clippy::cast_precision_loss, reason = "ratios for people")]
impl Memory {
    /// Allocations for each of `n` objects.
    pub(crate) fn each(&self, n: usize) -> f64 {
        self.count as f64 / n as f64
    }

    /// Bytes held for each of `n` objects.
    pub(crate) fn held_each(&self, n: usize) -> f64 {
        self.held as f64 / n as f64
    }

    /// One line, with the ratio of what is held to that of `reference`.
    pub(crate) fn print(&self, name: &str, reference: &Self) {
        let megabytes = self.held as f64 / 1e6;
        let ratio = self.held as f64 / reference.held.max(1) as f64;
        println!(
            "  {name:<28} {:>10} allocations, {megabytes:>8.1} MB held, {ratio:>6.3}",
            self.count
        );
    }
}

/// The best time of each entry.
pub(crate) struct Times<'a>(Vec<(&'a str, f64)>);

impl Times<'_> {
    /// The seconds that the entry called `name` took.
    pub(crate) fn of(&self, name: &str) -> f64 {
        self.0.iter().find(|(known, _)| *known == name).map_or(f64::NAN, |(_, seconds)| *seconds)
    }
}

/// Runs every entry in turn for about `rounds` rounds and prints the best time of each, with its
/// ratio to the entry called `reference`.
pub(crate) fn compare<'a>(
    title: &str,
    bytes: usize,
    rounds: usize,
    reference: &str,
    entries: Vec<Entry<'a>>,
) -> Times<'a> {
    let mut entries = entries;
    let mut best = vec![Duration::MAX; entries.len()];
    for entry in &mut entries {
        (entry.run)();
    }
    for _ in 0..rounds {
        for (entry, best) in entries.iter_mut().zip(&mut best) {
            let started = Instant::now();
            (entry.run)();
            *best = started.elapsed().min(*best);
        }
    }
    println!("{title} ({bytes} bytes, best of {rounds})");
    let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
    print(bytes, reference, &names, &best);
    Times(names.into_iter().zip(best.iter().map(Duration::as_secs_f64)).collect())
}

/// One way to do a part of the work, by the number of the part.
pub(crate) type Part<'a> = (&'a str, Box<dyn FnMut(usize) + 'a>);

/// The same for work that comes in `n_parts` parts: the time of an entry is the sum of the best times of
/// its parts, which are so short that other programs leave some runs of each alone.
pub(crate) fn compare_parts(
    title: &str,
    bytes: usize,
    rounds: usize,
    reference: &str,
    n_parts: usize,
    mut entries: Vec<Part<'_>>,
) {
    let mut total = vec![Duration::ZERO; entries.len()];
    for part in 0..n_parts {
        let mut best = vec![Duration::MAX; entries.len()];
        for _ in 0..=rounds {
            for ((_, run), best) in entries.iter_mut().zip(&mut best) {
                let started = Instant::now();
                run(part);
                *best = started.elapsed().min(*best);
            }
        }
        total.iter_mut().zip(best).for_each(|(total, best)| *total += best);
    }
    println!("{title} ({bytes} bytes in {n_parts} parts, best of {rounds} each)");
    let names: Vec<&str> = entries.iter().map(|(name, _)| *name).collect();
    print(bytes, reference, &names, &total);
}

fn print(bytes: usize, reference: &str, names: &[&str], times: &[Duration]) {
    let base = names.iter().zip(times).find(|(name, _)| **name == reference);
    let base = base.map_or(f64::NAN, |(_, time)| time.as_secs_f64());
    for (name, time) in names.iter().zip(times) {
        let seconds = time.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = bytes as f64 / seconds / 1e6;
        println!(
            "  {:<28} {:>12.3} µs {rate:>9.1} MB/s  {:>6.3} of {reference}",
            name,
            seconds * 1e6,
            seconds / base
        );
    }
    println!();
}
