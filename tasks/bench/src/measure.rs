//! Measures alternatives in turn, so that a change of the machine's pace meets all of them alike.

use std::time::{Duration, Instant};

/// One way to do the work.
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a str,
    pub(crate) run: Box<dyn FnMut() + 'a>,
}

/// Runs every entry in turn for about `rounds` rounds and prints the best time of each, with its
/// ratio to the entry called `reference`.
pub(crate) fn compare(
    title: &str,
    bytes: usize,
    rounds: usize,
    reference: &str,
    entries: Vec<Entry<'_>>,
) {
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
    let base = entries.iter().zip(&best).find(|(entry, _)| entry.name == reference);
    let base = base.map_or(f64::NAN, |(_, best)| best.as_secs_f64());
    println!("{title} ({bytes} bytes, best of {rounds})");
    for (entry, best) in entries.iter().zip(&best) {
        let seconds = best.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = bytes as f64 / seconds / 1e6;
        println!(
            "  {:<28} {:>12.3} µs {rate:>9.1} MB/s  {:>6.3} of {reference}",
            entry.name,
            seconds * 1e6,
            seconds / base
        );
    }
    println!();
}
