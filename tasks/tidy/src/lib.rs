//! Pages that are generated from code, and the checks in `tests/` that hold the project to its word.

pub mod requirements;

use crdkit_issue::codes;
use std::fmt::Write as _;

/// The reference page of issue codes, `docs/codes.md`.
pub fn codes_page() -> String {
    let mut out = String::from(
        "# Issue codes\n\n\
         Every finding has a code. Codes are stable: use them in suppressions, scripts and reports. The wording of\n\
         messages may improve. This page is generated from the code by `cargo run -p tidy`.\n",
    );
    for (group, codes) in codes::GROUPS {
        let _ =
            write!(out, "\n## {group}\n\n| Code | When | Message | Example |\n|---|---|---|---|\n");
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

/// The page of short codes, `docs/errors.md`: what users of a schema library branch on.
pub fn errors_page() -> String {
    let mut out = String::from(
        "# Short codes\n\n\
         Findings as programs that use a schema as a library see them (`Issue::short`): what kind of mistake it is, and the\n\
         [issue codes](codes.md) that it stands for. Codes are stable, messages may improve. A report for machines has `path`,\n\
         `code`, `message`, `hint`, `kind`, `keyword`, `severity`, `params`, `offset`, `line` and `column`; what is not known is\n\
         left out. This page is generated from the code by `cargo run -p tidy`.\n\n\
         | Code | Issue | Kind | Keyword | Message |\n|---|---|---|---|---|\n",
    );
    let mut rows = Vec::new();
    for (group, codes) in codes::GROUPS {
        if !matches!(*group, "decode" | "object" | "schema" | "domain") {
            continue;
        }
        for code in *codes {
            let info = code.info();
            rows.push(format!(
                "| `{}` | `{}` | {} | {} | {} |\n",
                code.short(),
                info.name,
                info.error_type.reason(),
                info.keyword,
                cell(info.message),
            ));
        }
    }
    rows.sort();
    out.extend(rows);
    out
}

/// Text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
