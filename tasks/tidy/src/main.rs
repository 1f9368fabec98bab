//! `cargo run -p tidy` rewrites the generated pages.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::write(root.join("docs/codes.md"), tidy::codes_page())?;
    std::fs::write(root.join("docs/errors.md"), tidy::errors_page())?;
    let report = tidy::requirements::page(&root)?;
    std::fs::write(root.join("crates/crdkit-structure/tests/requirements.md"), report)
}
