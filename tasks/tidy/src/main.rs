//! `cargo run -p tidy` rewrites the generated pages.
#![expect(clippy::disallowed_methods, reason = "this program writes files")]

use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::write(root.join("docs/codes.md"), tidy::codes_page())
}
