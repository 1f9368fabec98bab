//! `cargo run -p chaos -- [--crdkit FILE] [ROUNDS] [SEED]` starts a server on a file, writes to it over HTTP from several
//! connections, kills it at a random moment, starts it again and compares, so many times. Fails at the first write that
//! was acknowledged and is lost, object that nobody wrote, or version that goes back.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]

mod check;
mod write;

use anyhow::{Context as _, Result};
use chaos::server::Running;
use check::Expected;
use crdkit_store::suite::SchedulePlan;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Connections that write at the same time.
const WRITERS: usize = 6;

fn main() -> ExitCode {
    match arguments().and_then(|(crdkit, rounds, seed)| drive(&crdkit, rounds, seed)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<(PathBuf, u64, u64)> {
    let mut crdkit = PathBuf::from("target/debug/crdkit");
    let mut numbers = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--crdkit" {
            crdkit = arguments.next().context("--crdkit needs a file")?.into();
        } else {
            let number = argument.parse::<u64>();
            numbers.push(number.context("usage: chaos [--crdkit FILE] [ROUNDS] [SEED]")?);
        }
    }
    let number = |at: usize, default| numbers.get(at).copied().unwrap_or(default);
    Ok((crdkit, number(0, 10), number(1, 1)))
}

fn drive(crdkit: &Path, rounds: u64, seed: u64) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let data = data.to_str().context("a path that is no text")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut plan = SchedulePlan(seed);
    let mut expected = Expected::new(WRITERS);
    for round in 0..rounds {
        let mut server = Running::start(crdkit, folder.path(), &["--data", data])
            .with_context(|| format!("seed {seed}, round {round}"))?;
        let connector = server.connector()?;
        runtime.block_on(async {
            expected
                .compare(&connector)
                .await
                .with_context(|| format!("seed {seed}, before round {round}"))?;
            let writers: Vec<_> = expected
                .take()
                .into_iter()
                .map(|state| {
                    tokio::spawn(write::run(connector.clone(), state, plan.below(u64::MAX)))
                })
                .collect();
            tokio::time::sleep(Duration::from_micros(plan.below(300_000))).await;
            server.kill()?;
            for writer in writers {
                expected.give_back(writer.await?);
            }
            anyhow::Ok(())
        })?;
        if (round + 1) % 100 == 0 {
            println!("{} rounds, {expected}", round + 1);
        }
    }
    let server = Running::start(crdkit, folder.path(), &["--data", data])?;
    let connector = server.connector()?;
    runtime.block_on(expected.compare(&connector))?;
    println!("{rounds} rounds, {expected}: nothing lost, made up or gone back");
    Ok(())
}
