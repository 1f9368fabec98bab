//! `fuzz run [TARGET [SEED [MUTATIONS]]]` tries targets on mutated fixtures, `fuzz for SECONDS [SEED]` tries all of them for
//! that long together, `fuzz seeds DIRECTORY` writes the seeds for other fuzzers, a directory for each target, and
//! `fuzz try TARGET FILE` runs a target on one input.
#![expect(clippy::disallowed_methods, reason = "a program reads the files it is given")]
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use anyhow::{Context as _, Result, bail};
use fuzz::drive::{Failure, drive};
use fuzz::seeds::Seeds;
use fuzz::{TARGETS, Target};
use std::path::Path;
use std::time::{Duration, Instant};

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let seeds = Seeds::read(&root)?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["seeds", directory] => {
            for target in TARGETS {
                let directory = Path::new(directory).join(target.name);
                std::fs::create_dir_all(&directory)?;
                for (index, seed) in (target.seeds)(&seeds).iter().enumerate() {
                    std::fs::write(directory.join(format!("fixture-{index:03}")), seed)?;
                }
            }
        }
        ["run", rest @ ..] if rest.len() <= 3 => {
            let seed = rest.get(1).map_or(Ok(1), number)?;
            let n_mutations = usize::try_from(rest.get(2).map_or(Ok(100_000), number)?)?;
            let is_asked = |it: &&Target| rest.first().is_none_or(|name| it.name == *name);
            for target in TARGETS.iter().filter(is_asked) {
                tell(target, seed, drive(target, &seeds, seed, |n| n < n_mutations))?;
            }
        }
        ["for", seconds, rest @ ..] if rest.len() <= 1 => {
            let each = Duration::from_secs(number(seconds)?) / u32::try_from(TARGETS.len())?;
            let seed = rest.first().map_or(Ok(1), number)?;
            let mut n_failed = 0;
            for target in TARGETS {
                let start = Instant::now();
                let outcome = drive(target, &seeds, seed, |_| start.elapsed() < each);
                // One that fails does not keep the others from being tried.
                if let Err(error) = tell(target, seed, outcome) {
                    println!("{error}");
                    n_failed += 1;
                }
            }
            if n_failed > 0 {
                bail!("{n_failed} targets failed");
            }
        }
        ["try", target, path] => fuzz::run(target, &std::fs::read(path)?),
        _ => bail!(
            "usage: fuzz run [TARGET [SEED [MUTATIONS]]] | for SECONDS [SEED] | seeds DIRECTORY | try TARGET FILE"
        ),
    }
    Ok(())
}

fn number(text: &&str) -> Result<u64> {
    text.parse().with_context(|| format!("`{text}`"))
}

/// Says how many inputs were tried, or keeps the one that failed.
fn tell(target: &Target, seed: u64, outcome: Result<usize, Failure>) -> Result<()> {
    let name = target.name;
    match outcome {
        Ok(n_inputs) => println!("{name}: {n_inputs} inputs, seed {seed}"),
        Err(Failure { index, input }) => {
            let path = format!("failure-{name}-{seed}-{index}");
            std::fs::write(&path, &input)?;
            bail!("{name}: input {index} of seed {seed} is in {path}");
        }
    }
    Ok(())
}
