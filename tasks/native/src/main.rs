//! Makes the data file of native kinds from the facts about them.
//!
//! ```text
//! native --facts DIR --release 1.37 --out crates/crdkit-native/data/1.37.bin
//! ```
//!
//! In go the names, schemas, fields, messages and rules of a release as JSON, and `amendments.json`, which says
//! where this project knows better; out comes one file of three compressed sections (`write`), which
//! `crdkit-native` reads. The same input gives the same bytes.
#![expect(clippy::print_stdout, reason = "a program for people")]

mod facts;
mod kinds;
mod messages;
mod rules;
mod types;
mod write;

use anyhow::{Context as _, Result};
use clap::Parser;
use facts::Facts;
use std::path::PathBuf;
use write::{Section, file};

#[derive(Parser)]
#[command(about)]
struct Args {
    /// The directory with the facts
    #[arg(long, default_value = "../shared/native")]
    facts: PathBuf,
    /// Changes to the rules
    #[arg(long, default_value = "tasks/native/amendments.json")]
    amendments: PathBuf,
    /// The Kubernetes release they are of
    #[arg(long, default_value = "1.37")]
    release: String,
    /// The file to write
    #[arg(long, default_value = "crates/crdkit-native/data/1.37.bin")]
    out: PathBuf,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let facts = Facts::read(&args.facts, &args.amendments)?;
    let names = types::Names::of(&facts);
    let mut objects = Section::default();
    objects.text(&args.release);
    kinds::write(&facts, &names, &mut objects)?;
    types::write(&facts, &names, &mut objects)?;
    let mut messages = Section::default();
    messages::write(&facts, &mut messages)?;
    let mut schemas = Section::default();
    messages::write_schemas(&facts, &mut schemas)?;
    let bytes = file([objects, messages, schemas])?;
    std::fs::write(&args.out, &bytes).with_context(|| args.out.display().to_string())?;
    println!("{}: {} bytes", args.out.display(), bytes.len());
    Ok(())
}
