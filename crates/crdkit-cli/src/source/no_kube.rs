//! Stands in for the live cluster in builds without it.

use super::{Client, Found, Purpose};
use crate::input::Entry;
use anyhow::{Result, bail};

const ADVICE: &str = "this build of crdkit does not talk to clusters; write \
     `kubectl get crds -o yaml | crdkit … --crds -`";

pub(super) fn crds(_context: &str, _purpose: Purpose, _client: &Client) -> Result<Found> {
    bail!(ADVICE)
}

pub(super) fn crd(_context: &str, _name: &str, _client: &Client) -> Result<Entry> {
    bail!(ADVICE)
}
