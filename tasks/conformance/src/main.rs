//! Runs crdkit on recorded cases and keeps the score.
//!
//! ```text
//! conformance answer SUITE --cases FILE [--crds FILE] --out FILE
//! conformance run [--corpus DIR]
//! conformance suites [--corpus DIR] --out DIR
//! ```
//!
//! `answer` reads only what a case puts in, never what is expected, and writes one answer per line.
//! `run` answers every suite of a corpus, scores the answers and rewrites `snapshots/SUITE.snap`; it
//! fails when a count falls below the checked-in one, or when a suite is missing. `suites` writes recorded
//! requests as suites for `crdkit test`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "this program reads files")]

mod answer;
mod case;
mod declarative;
mod score;
mod snapshot;
mod suites;

use anyhow::{Context as _, Result, bail};
use case::Cases;
use clap::{Parser, Subcommand};
use score::Score;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use suites::Suite;

#[derive(Parser)]
#[command(about)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answer the cases of one suite
    Answer {
        suite: String,
        /// Cases, one JSON object to a line; `.gz` is unpacked
        #[arg(long)]
        cases: PathBuf,
        /// The CRDs that the cases name
        #[arg(long)]
        crds: Option<PathBuf>,
        /// Where the answers go
        #[arg(long)]
        out: PathBuf,
    },
    /// Answer and score every suite, and rewrite the snapshots
    Run {
        /// The directory with the recorded suites
        #[arg(long, default_value = "../shared/corpus")]
        corpus: PathBuf,
        /// Only this suite
        #[arg(long)]
        suite: Option<String>,
        /// Print up to so many misses of each measure
        #[arg(long, default_value_t = 0)]
        show: usize,
    },
    /// Write recorded requests as suites for `crdkit test`
    Suites {
        /// The directory with the recorded suites
        #[arg(long, default_value = "../shared/corpus")]
        corpus: PathBuf,
        /// The directory they go to
        #[arg(long)]
        out: PathBuf,
    },
}

fn main() -> ExitCode {
    let outcome = match Args::parse().command {
        Command::Answer { suite, cases, crds, out } => {
            answer_file(&suite, &cases, crds.as_deref(), &out)
        }
        Command::Suites { corpus, out } => declarative::write(&corpus, &out).map(|()| true),
        Command::Run { corpus, suite, show } => run(&corpus, suite.as_deref(), show),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(3)
        }
    }
}

fn answer_file(name: &str, cases: &Path, crds: Option<&Path>, out: &Path) -> Result<bool> {
    let suite = suites::find(name)?;
    let cases = Cases::read(cases)?;
    let crds = crds.map(Cases::read).transpose()?;
    let mut text = Vec::new();
    for answer in suite.answers(&cases, crds.as_ref())? {
        text.extend_from_slice(&answer);
        text.push(b'\n');
    }
    fs::write(out, text).with_context(|| format!("`{}` cannot be written", out.display()))?;
    Ok(true)
}

fn run(corpus: &Path, only: Option<&str>, show: usize) -> Result<bool> {
    if !corpus.is_dir() {
        bail!("there is no corpus at `{}`", corpus.display());
    }
    let mut fine = true;
    for suite in suites::ALL.iter().filter(|suite| only.is_none_or(|only| suite.name == only)) {
        fine &= run_suite(suite, corpus, show)?;
    }
    Ok(fine)
}

fn run_suite(suite: &Suite, corpus: &Path, show: usize) -> Result<bool> {
    let cases = Cases::read(&corpus.join(suite.cases))?;
    let crds = suite.crds.map(|file| Cases::read(&corpus.join(file))).transpose()?;
    let answers = suite.answers(&cases, crds.as_ref())?;
    let mut score = Score::default();
    for (case, answer) in cases.iter().zip(&answers) {
        (suite.score)(case, &case::parse(answer)?, &mut score);
    }
    let verdict = snapshot::update(suite.name, &score)?;
    println!("{}\n{}", suite.name, score.summary());
    if show > 0 {
        println!("{}", score.misses(show));
    }
    for lost in &verdict {
        println!("  LOST {lost}");
    }
    Ok(verdict.is_empty())
}
