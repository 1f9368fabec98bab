//! The table of a run, as the document that users read.

use crate::client::Client;
use crate::walk::Step;
use anyhow::Result;
use std::fmt::Write as _;
use std::path::Path;

/// The steps that most walks have, in the order of the columns. What else a walk does is named in the last one.
const COLUMNS: [&str; 11] = [
    "create",
    "list",
    "watch",
    "update",
    "patch",
    "apply",
    "status",
    "scale",
    "events",
    "leader election",
    "delete",
];

pub(crate) fn write(file: &Path, rows: &[(&Client, Vec<Step>)]) -> Result<()> {
    let mut out = String::from(
        "# Clients\n\nReal clients, each run against a fresh `crdkit serve`. `cargo run -p clients -- --all --write docs/clients.md` generates the table;\n`tasks/clients/walks/` has the steps.\n\n| Client | Version |",
    );
    for column in COLUMNS {
        write!(out, " {column} |")?;
    }
    out.push_str(" more |\n|---|---|");
    out.push_str(&"---|".repeat(COLUMNS.len() + 1));
    out.push('\n');
    for (client, steps) in rows {
        write!(out, "| {} | {} |", client.name, client.version)?;
        for column in COLUMNS {
            let step = steps.iter().find(|step| step.name == column);
            let cell = step.map_or("–", |step| if step.failure.is_none() { "✓" } else { "✗" });
            write!(out, " {cell} |")?;
        }
        let more = steps.iter().filter(|step| !COLUMNS.contains(&step.name.as_str()));
        let more = more.map(|step| {
            if step.failure.is_none() { step.name.clone() } else { format!("✗ {}", step.name) }
        });
        writeln!(out, " {} |", more.collect::<Vec<_>>().join(", "))?;
    }
    out.push_str("\n`–`: the client has no such operation, or it is not tested.\n");
    Ok(std::fs::write(file, out)?)
}
