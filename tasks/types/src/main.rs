//! Writes `crates/crdkit-patch/resources/native.types`: what patches and apply must know about the kinds that come with
//! Kubernetes.
//!
//! ```text
//! types DEFINITIONS OUT
//! ```
//!
//! `DEFINITIONS` is a JSON file with OpenAPI `definitions`; `.gz` is unpacked.
#![expect(clippy::disallowed_methods, reason = "this program reads files")]

use anyhow::{Context as _, Result, anyhow, bail};
use crdkit_codec::{DecodeOptions, json};
use crdkit_patch::Definitions;
use flate2::read::GzDecoder;
use std::io::Read as _;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [from, to] = &*arguments else { bail!("usage: types DEFINITIONS OUT") };
    let mut bytes = fs::read(from).with_context(|| format!("`{from}` cannot be read"))?;
    if Path::new(from).extension().is_some_and(|extension| extension == "gz") {
        let mut unpacked = Vec::new();
        GzDecoder::new(&*bytes).read_to_end(&mut unpacked)?;
        bytes = unpacked;
    }
    let decoded = json::decode(&bytes, &DecodeOptions::default());
    let document = decoded.map_err(|issue| anyhow!("{issue}"))?.document;
    let definitions = document.root().get("definitions").context("there are no `definitions`")?;
    let text = Definitions::from_openapi(definitions).to_text();
    fs::write(to, text).with_context(|| format!("`{to}` cannot be written"))
}
