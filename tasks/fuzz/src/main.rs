//! `fuzz run [TARGET [SEED [MUTATIONS]]]` tries targets on mutated fixtures, `fuzz seeds DIRECTORY` writes the seeds for
//! other fuzzers, a directory for each target, and `fuzz try TARGET FILE` runs a target on one input.
#![expect(clippy::disallowed_methods, reason = "a program reads the files it is given")]

use anyhow::{Context as _, Result, bail};
use fuzz::seeds::Seeds;
use fuzz::{TARGETS, drive};
use std::path::Path;

#[expect(clippy::print_stdout, reason = "a program for the terminal")]
fn main() -> Result<()> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let seeds = Seeds::read(&fixtures)?;
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
            let number = |text: &&str| text.parse().with_context(|| format!("`{text}`"));
            let seed = rest.get(1).map_or(Ok(1), number)?;
            let n_mutations = rest.get(2).map_or(Ok(100_000), number)?;
            let n_mutations = usize::try_from(n_mutations)?;
            for target in
                TARGETS.iter().filter(|it| rest.first().is_none_or(|name| it.name == *name))
            {
                match drive::drive(target, &seeds, seed, n_mutations) {
                    Ok(n_inputs) => println!("{}: {n_inputs} inputs, seed {seed}", target.name),
                    Err(failure) => {
                        let path = format!("failure-{}-{}", target.name, failure.index);
                        std::fs::write(&path, &failure.input)?;
                        bail!(
                            "{}: input {} of seed {seed} is in {path}",
                            target.name,
                            failure.index
                        );
                    }
                }
            }
        }
        ["try", target, path] => fuzz::run(target, &std::fs::read(path)?),
        _ => {
            bail!("usage: fuzz run [TARGET [SEED [MUTATIONS]]] | seeds DIRECTORY | try TARGET FILE")
        }
    }
    Ok(())
}
