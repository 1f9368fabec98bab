//! How much is accepted, made and kept: what the command line says, and which flag a finding about a limit is about.
//!
//! The command line is read once, before anything else; [`get`] gives the same answer from then on.

use clap::Args as ClapArgs;
use crdkit_codec::DecodeOptions;
use crdkit_engine::RequestOptions;
use crdkit_issue::{Code, Issue, codes};
use crdkit_schema::compile::PatternRoom;
use crdkit_schema::set::CrdDefinition;
use crdkit_value::Document;
use std::sync::{LazyLock, OnceLock};

/// Limits; what asks for more is refused with a finding that names the limit.
#[derive(Clone, Debug, Default, ClapArgs)]
#[expect(clippy::struct_field_names, reason = "they are the names of flags")]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// The largest document to read, such as 500MiB [default: 1GiB]
    #[arg(long, value_name = "BYTES", global = true, hide_short_help = true, value_parser = bytes)]
    max_document_bytes: Option<usize>,

    /// The most values in one document, including those that YAML aliases repeat [default: 134217728]
    #[arg(long, value_name = "N", global = true, hide_short_help = true, value_parser = bytes)]
    max_values: Option<usize>,

    /// The most text that aliases may repeat in one YAML document [default: 16MiB]
    #[arg(long, value_name = "BYTES", global = true, hide_short_help = true, value_parser = bytes)]
    max_alias_bytes: Option<usize>,

    /// The most data that defaults may add to one object [default: 64MiB]
    #[arg(long, value_name = "BYTES", global = true, hide_short_help = true, value_parser = bytes)]
    max_default_bytes: Option<usize>,

    /// The most memory for values made by one evaluation of a CEL expression [default: 64MiB]
    #[arg(long, value_name = "BYTES", global = true, hide_short_help = true, value_parser = bytes)]
    max_rule_bytes: Option<usize>,

    /// The most memory for compiled patterns of all CRDs; further patterns are matched slowly [default: 64MiB]
    #[arg(long, value_name = "BYTES", global = true, hide_short_help = true, value_parser = bytes)]
    max_pattern_bytes: Option<usize>,

    /// The most findings of one kind to show per file; the rest are only counted [default: 1000]
    #[arg(long, value_name = "N", global = true, hide_short_help = true, value_parser = bytes)]
    max_findings: Option<usize>,
}

/// What holds for the run.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// For documents and requests.
    pub(crate) document: crdkit_value::Limits,
    /// Shared by all CRDs.
    pub(crate) pattern_room: PatternRoom,
    /// Findings of one kind that are shown of a file.
    pub(crate) findings: usize,
}

static GIVEN: OnceLock<LimitArgs> = OnceLock::new();
static LIMITS: LazyLock<Limits> =
    LazyLock::new(|| Limits::new(GIVEN.get().unwrap_or(&LimitArgs::default())));

/// Takes what the command line says.
pub(crate) fn set(args: &LimitArgs) {
    // There is one command line.
    let _ = GIVEN.set(args.clone());
}

/// What holds for the run.
pub(crate) fn get() -> &'static Limits {
    &LIMITS
}

/// How documents are decoded within the limits.
pub(crate) fn decoding() -> DecodeOptions {
    DecodeOptions::new().limits(get().document.clone())
}

/// A request within the limits.
pub(crate) fn request() -> RequestOptions {
    RequestOptions::new().limits(get().document.clone())
}

/// A CRD that shares memory for patterns with all others.
pub(crate) fn definition(document: Document) -> CrdDefinition {
    CrdDefinition::new(document).with_pattern_room(&get().pattern_room)
}

impl Limits {
    fn new(args: &LimitArgs) -> Self {
        let usual = crdkit_value::Limits::default();
        let (nodes, bytes) = (args.max_values, args.max_document_bytes);
        let document = crdkit_value::Limits::new()
            .bytes(bytes.unwrap_or(usual.bytes))
            .nodes(nodes.unwrap_or(usual.nodes))
            .alias_bytes(args.max_alias_bytes.unwrap_or(usual.alias_bytes))
            .default_bytes(args.max_default_bytes.unwrap_or(usual.default_bytes))
            .rule_bytes(args.max_rule_bytes.unwrap_or(usual.rule_bytes));
        let room = |n_bytes| PatternRoom::new(u64::try_from(n_bytes).unwrap_or(u64::MAX));
        Self {
            document,
            pattern_room: args.max_pattern_bytes.map_or_else(PatternRoom::default, room),
            findings: args.max_findings.unwrap_or(1000).max(1),
        }
    }
}

/// The flag that allows more, if `issue` is about a limit of this program.
pub(crate) fn flag(issue: &Issue) -> Option<&'static str> {
    const FLAGS: &[(Code, &str)] = &[
        (codes::decode::TOO_LARGE, "--max-document-bytes"),
        (codes::decode::TOO_MANY_NODES, "--max-values"),
        (codes::decode::ALIASES_TOO_LARGE, "--max-alias-bytes"),
        (codes::object::DEFAULTS_TOO_LARGE, "--max-default-bytes"),
        // Only a rule that made too many values has a limit to show.
        (codes::object::RULE_ERROR, "--max-rule-bytes"),
    ];
    issue.arg("limit")?;
    FLAGS.iter().find(|(code, _)| *code == issue.code).map(|(_, flag)| *flag)
}

/// A number, perhaps with `KiB`, `MiB` or `GiB` behind it.
fn bytes(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|it: char| !it.is_ascii_digit());
    let unit = match text.get(digits.len()..).unwrap_or_default().trim() {
        "" => 1,
        "K" | "Ki" | "KiB" => 1 << 10,
        "M" | "Mi" | "MiB" => 1 << 20,
        "G" | "Gi" | "GiB" => 1 << 30,
        unit => return Err(format!("`{unit}` is not KiB, MiB or GiB")),
    };
    let number: usize = digits.parse().map_err(|_| "write a number, such as 64MiB".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "this is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(bytes("64MiB"), Ok(64 << 20));
        assert_eq!(bytes("1000"), Ok(1000));
        assert_eq!(bytes("2 KiB"), Ok(2048));
        assert!(bytes("many").is_err() && bytes("1 mile").is_err() && bytes("-1").is_err());
        assert!(bytes("99999999999999999999GiB").is_err());
    }
}
