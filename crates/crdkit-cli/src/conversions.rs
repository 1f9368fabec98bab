//! Files of rules that objects are converted by.

use crate::source::{self, Client, Purpose};
use anyhow::{Result, anyhow};
use crdkit_convert::{Conversion, Conversions};

/// The rules in `sources`, of which other documents are left out.
pub(crate) fn load(sources: &[String], client: &Client) -> Result<Conversions> {
    let mut conversions = Vec::new();
    for document in source::documents(sources, Purpose::Documents, client)? {
        if !Conversion::is_file(document.root()) {
            continue;
        }
        let read = Conversion::read(document.root());
        conversions.push(read.map_err(|issues| {
            let lines: Vec<String> = issues.iter().map(ToString::to_string).collect();
            anyhow!("rules cannot be used:\n{}", lines.join("\n"))
        })?);
    }
    if conversions.is_empty() && !sources.is_empty() {
        let sources = sources.join("`, `");
        return Err(anyhow!("there are no rules for conversions in `{sources}`"));
    }
    Ok(conversions.into_iter().collect())
}
