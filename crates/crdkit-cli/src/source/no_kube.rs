//! Stands in for the live cluster in builds without it.

use super::{Client, FoundEntries, LiveKind, Purpose};
use crate::input::InputEntry;
use anyhow::{Result, bail};

const ADVICE: &str = "this build of crdkit does not talk to clusters; write \
     `kubectl get crds -o yaml | crdkit … --crds -`";

pub(super) fn crds(_context: &str, _purpose: Purpose, _client: &Client) -> Result<FoundEntries> {
    bail!(ADVICE)
}

pub(super) fn objects(_: &str, _: &[LiveKind], _: &Client) -> Result<FoundEntries> {
    bail!("this build of crdkit does not talk to clusters; name files with objects")
}

pub(super) fn crd(_context: &str, _name: &str, _client: &Client) -> Result<InputEntry> {
    bail!(ADVICE)
}
