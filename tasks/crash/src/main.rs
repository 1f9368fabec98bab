//! `cargo run --release -p crash -- [ROUNDS] [SEED]` starts a process that writes to a store and says what was acknowledged, kills it at a
//! random moment, opens the store again and compares, so many times. Fails at the first acknowledged write that is lost, value that is
//! torn, revision that is used twice or gap in a watch.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]

mod check;
mod child;
mod value;

use anyhow::{Context, Result, anyhow};
use check::StoreCheck;
use crdkit_store::Revision;
use crdkit_store::suite::SchedulePlan;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["child", path, seed, keep] => child::run(Path::new(path), seed, keep),
        [] => drive(20, 1),
        [rounds] => rounds.parse().context("ROUNDS").and_then(|rounds| drive(rounds, 1)),
        [rounds, seed] => rounds
            .parse()
            .context("ROUNDS")
            .and_then(|rounds| drive(rounds, seed.parse().context("SEED")?)),
        _ => Err(anyhow!("usage: crash [ROUNDS] [SEED]")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// A write that was acknowledged.
#[derive(Clone, Debug)]
struct Acknowledged {
    revision: Revision,
    key: String,
    /// The number in its value; none for a deletion.
    number: Option<u64>,
}

fn drive(rounds: u64, seed: u64) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("store");
    let mut plan = SchedulePlan(seed);
    let mut check = StoreCheck::default();
    for round in 0..rounds {
        let acknowledged = kill_one(&path, round, check.revision(), &mut plan)?;
        check
            .compare(&path, &acknowledged)
            .with_context(|| format!("seed {seed}, round {round}"))?;
        if (round + 1) % 100 == 0 {
            println!("{} rounds, {check}", round + 1);
        }
    }
    println!("{rounds} rounds, {check}: nothing lost, torn, used twice or left out");
    Ok(())
}

/// Starts a writer, kills it, and gives what it had acknowledged.
fn kill_one(
    path: &Path,
    round: u64,
    keep: Revision,
    plan: &mut SchedulePlan,
) -> Result<Vec<Acknowledged>> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg("child")
        .arg(path)
        .args([round.to_string(), keep.to_string()])
        .stdout(Stdio::piped())
        .spawn()?;
    let output = child.stdout.take().context("no output")?;
    let reader = std::thread::spawn(move || {
        let mut lines = Vec::new();
        let mut output = BufReader::new(output);
        let mut line = String::new();
        // The last line may be cut short.
        while output.read_line(&mut line).is_ok_and(|read| read > 0) && line.ends_with('\n') {
            lines.push(std::mem::take(&mut line));
        }
        lines
    });
    // Some are killed while they open the store, most of them while they write.
    std::thread::sleep(Duration::from_micros(plan.below(200_000)));
    child.kill()?;
    child.wait()?;
    let lines = reader.join().map_err(|_| anyhow!("the output could not be read"))?;
    lines.iter().map(|line| acknowledged(line).context("a line of the writer")).collect()
}

fn acknowledged(line: &str) -> Option<Acknowledged> {
    let mut words = line.split_whitespace();
    let revision = Revision(words.next()?.parse().ok()?);
    let key = words.next()?.to_owned();
    let number = words.next()?.parse().ok();
    Some(Acknowledged { revision, key, number })
}
