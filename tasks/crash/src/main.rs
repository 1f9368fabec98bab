//! `cargo run --release -p crash -- [etcd] [ROUNDS] [SEED]` starts a process that writes to a store and says what was acknowledged, kills it
//! at a random moment, opens the store again and compares, so many times. Fails at the first acknowledged write that is lost, value that
//! is torn, revision that is used twice or gap in a watch. With `etcd` the store is an etcd, and in every other round it is the etcd
//! that is killed.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]

mod address;
mod check;
mod child;
mod value;

use address::{EtcdProcess, StoreAddress};
use anyhow::{Context, Result, anyhow, bail};
use check::StoreCheck;
use crdkit_store::Revision;
use crdkit_store::suite::SchedulePlan;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["child", address, seed, keep] => child::run(&StoreAddress::parse(address), seed, keep),
        ["etcd", rest @ ..] => numbers(rest).and_then(|(rounds, seed)| drive(true, rounds, seed)),
        rest => numbers(rest).and_then(|(rounds, seed)| drive(false, rounds, seed)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// How many rounds, and the seed.
fn numbers(arguments: &[&str]) -> Result<(u64, u64)> {
    let number =
        |index: usize, default| arguments.get(index).map_or(Ok(default), |text| text.parse());
    if arguments.len() > 2 {
        bail!("too many arguments");
    }
    let numbers = number(0, 20).and_then(|rounds| Ok((rounds, number(1, 1)?)));
    numbers.context("usage: crash [etcd] [ROUNDS] [SEED]")
}

/// A write that was acknowledged.
#[derive(Clone, Debug)]
struct Acknowledged {
    revision: Revision,
    key: String,
    /// The number in its value; none for a deletion.
    number: Option<u64>,
}

fn drive(etcd: bool, rounds: u64, seed: u64) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let mut etcd = if etcd { Some(EtcdProcess::start(directory.path())?) } else { None };
    let address = match &etcd {
        Some(etcd) => etcd.address(),
        None => StoreAddress::File(directory.path().join("store")),
    };
    let mut plan = SchedulePlan(seed);
    let mut check = StoreCheck::default();
    for round in 0..rounds {
        let server = etcd.as_mut().filter(|_| round % 2 == 0);
        let acknowledged = kill_one(&address, round, check.revision(), &mut plan, server)?;
        let compared = check.compare(&address, &acknowledged);
        compared.with_context(|| format!("seed {seed}, round {round}"))?;
        if (round + 1) % 100 == 0 {
            println!("{} rounds, {check}", round + 1);
        }
    }
    println!("{rounds} rounds, {check}: nothing lost, torn, used twice or left out");
    Ok(())
}

/// Starts a writer, kills its server if there is one, kills it, and gives what it had acknowledged.
fn kill_one(
    address: &StoreAddress,
    round: u64,
    keep: Revision,
    plan: &mut SchedulePlan,
    server: Option<&mut EtcdProcess>,
) -> Result<Vec<Acknowledged>> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["child", &address.text(), &round.to_string(), &keep.to_string()])
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
    if let Some(server) = server {
        server.kill_and_restart()?;
        std::thread::sleep(Duration::from_micros(plan.below(500_000)));
    }
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
