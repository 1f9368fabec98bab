//! Where time and memory of the pipeline go, stage by stage.
//!
//! A clock that is read after every stage costs about as much as a small stage, so what reading it takes
//! is measured too and taken off.

use crate::validate::Work;
use crdkit_codec::json::{self, Layout};
use crdkit_engine::RequestOptions;
use crdkit_engine::Stage;
use std::hint::black_box;
use std::time::{Duration, Instant};

const STAGES: [(Stage, &str); 9] = [
    (Stage::Decode, "decode"),
    (Stage::Metadata, "metadata"),
    (Stage::Prune, "unknown fields and nulls"),
    (Stage::Embedded, "embedded resources"),
    (Stage::Defaults, "defaults"),
    (Stage::Validate, "validate"),
    (Stage::ListTypes, "list types"),
    (Stage::Rules, "rules"),
    (Stage::ReadBack, "read back"),
];

/// What a stage took in one round, and how often it ended.
#[derive(Clone, Copy, Default)]
struct Tally {
    time: Duration,
    ends: u32,
    allocations: usize,
}

/// Prints what each stage takes for one object: the best of `rounds` rounds over each of `parts`.
pub(crate) fn print(parts: &[&[Work<'_>]], options: &RequestOptions, rounds: usize) {
    let clock = clock();
    let mut total = [(Duration::ZERO, 0); STAGES.len()];
    let mut encoding = (Duration::ZERO, 0);
    for work in parts {
        let mut best = [Duration::MAX; STAGES.len()];
        let mut last = [Tally::default(); STAGES.len()];
        for _ in 0..rounds {
            last = round(work, options);
            for (best, tally) in best.iter_mut().zip(&last) {
                *best = (*best).min(tally.time.saturating_sub(clock * tally.ends));
            }
        }
        for (((time, allocations), best), tally) in total.iter_mut().zip(best).zip(last) {
            *time += best;
            *allocations += tally.allocations;
        }
        let (time, allocations) = encode(work, options, rounds);
        encoding = (encoding.0 + time, encoding.1 + allocations);
    }
    println!("stages, each object");
    let n_objects = parts.iter().map(|work| work.len()).sum();
    for ((_, name), (time, allocations)) in STAGES.iter().zip(total) {
        line(name, time, allocations, n_objects);
    }
    line("encode", encoding.0, encoding.1, n_objects);
    println!();
}

#[expect(clippy::cast_precision_loss, reason = "means for people")]
fn line(name: &str, time: Duration, allocations: usize, n_objects: usize) {
    let n = n_objects as f64;
    let (each, allocations) = (time.as_secs_f64() * 1e6 / n, allocations as f64 / n);
    println!("  {name:<28} {each:>9.3} µs {allocations:>8.2} allocations");
}

fn round(work: &[Work<'_>], options: &RequestOptions) -> [Tally; STAGES.len()] {
    let mut tallies = [Tally::default(); STAGES.len()];
    let allocated = || {
        let stats = crate::ALLOCATOR.stats();
        stats.allocations + stats.reallocations
    };
    for (version, _, body) in work {
        let (mut since, mut before) = (Instant::now(), allocated());
        let outcome = version.create_watched(*body, options, &mut |stage| {
            let (now, count) = (Instant::now(), allocated());
            let at = STAGES.iter().position(|(known, _)| *known == stage);
            if let Some(tally) = at.and_then(|at| tallies.get_mut(at)) {
                tally.time += now - since;
                tally.ends += 1;
                tally.allocations += count - before;
            }
            (since, before) = (Instant::now(), count);
        });
        drop(black_box(outcome));
    }
    tallies
}

/// What reading the clock takes at least.
fn clock() -> Duration {
    const TIMES: u32 = 1_000;
    let some = || {
        let started = Instant::now();
        for _ in 0..TIMES {
            black_box(Instant::now());
        }
        started.elapsed() / TIMES
    };
    (0..100).map(|_| some()).min().unwrap_or_default()
}

/// Writing what would be stored.
fn encode(work: &[Work<'_>], options: &RequestOptions, rounds: usize) -> (Duration, usize) {
    let outcomes: Vec<_> =
        work.iter().map(|(version, _, body)| version.create(*body, options)).collect();
    let mut out = Vec::new();
    let mut all = || {
        for outcome in &outcomes {
            out.clear();
            json::write(outcome.document().root(), Layout::Compact, &mut out);
            black_box(&out);
        }
    };
    all();
    let before = crate::ALLOCATOR.stats();
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let started = Instant::now();
        all();
        best = best.min(started.elapsed());
    }
    let after = crate::ALLOCATOR.stats();
    (best, (after.allocations - before.allocations) / rounds.max(1))
}
