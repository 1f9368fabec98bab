//! Pages that are generated from code, and the checks in `tests/` that hold the project to its word.

use crdkit::issue::codes;
use std::fmt::Write as _;

/// The reference page of issue codes, `docs/codes.md`.
pub fn codes_page() -> String {
    let mut out = String::from(
        "# Issue codes\n\n\
         Every finding has a code. Codes are stable: use them in suppressions, scripts and reports. The wording of\n\
         messages may improve. This page is generated from the code by `cargo run -p tidy`.\n",
    );
    for (stage, codes) in codes::STAGES {
        let _ =
            write!(out, "\n## {stage}\n\n| Code | When | Message | Example |\n|---|---|---|---|\n");
        for code in *codes {
            let info = code.info();
            let example = if info.example.is_empty() {
                String::new()
            } else {
                format!("`{}`", cell(info.example))
            };
            let _ = writeln!(
                out,
                "| `{}` | {} | {} | {example} |",
                info.name,
                cell(info.about.trim()),
                cell(info.message),
            );
        }
    }
    out
}

/// Text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
