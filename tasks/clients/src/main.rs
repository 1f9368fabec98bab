//! `clients [--crdkit FILE] [--write FILE] [--all] [NAME…]`: real clients, each against a server of its own.
//!
//! In: the programs of `walks/`, which print `ok STEP` or `failed STEP: why`. Out: those lines, a table of them, and exit code 1
//! when a step failed. A client whose tools are not here is skipped with a message. Clients that take long to build run
//! only when they are named or with `--all`.

#![expect(clippy::print_stdout, reason = "a program for people")]

mod client;
mod server;
mod table;
mod walk;

use anyhow::{Context, Result, bail};
use client::CLIENTS;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> Result<ExitCode> {
    let mut crdkit = PathBuf::from("target/debug/crdkit");
    let (mut write, mut all, mut names) = (None, false, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{argument} needs a file"));
        match argument.as_str() {
            "--crdkit" => crdkit = value()?.into(),
            "--write" => write = Some(PathBuf::from(value()?)),
            "--all" => all = true,
            name if CLIENTS.iter().any(|client| client.name == name) => names.push(argument),
            other => {
                bail!("`{other}` is neither a flag nor a client; there are {}", client::names())
            }
        }
    }
    let walks = Path::new(env!("CARGO_MANIFEST_DIR")).join("walks");
    let chosen = CLIENTS.iter().filter(|client| {
        if names.is_empty() {
            all || client.is_quick
        } else {
            names.iter().any(|name| name == client.name)
        }
    });
    let mut rows = Vec::new();
    for client in chosen {
        println!("{} {}", client.name, client.version);
        match walk::walk(client, &crdkit, &walks)? {
            walk::Walked::Skipped(why) => println!("  skipped: {why}"),
            walk::Walked::Steps(steps) => {
                for step in &steps {
                    println!("  {step}");
                }
                rows.push((client, steps));
            }
        }
    }
    if let Some(file) = write {
        table::write(&file, &rows)?;
    }
    let failed = rows.iter().flat_map(|(_, steps)| steps).any(|step| step.failure.is_some());
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
