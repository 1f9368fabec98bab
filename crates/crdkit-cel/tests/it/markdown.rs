//! Runs the cases in `resources/mdtest`: a block of CEL, a line of dashes, and what comes of it.

use std::fmt::Write;

use crate::fixture::Fixture;

const FILES: [(&str, &str); 6] = [
    ("language.md", include_str!("../../resources/mdtest/language.md")),
    ("syntax-errors.md", include_str!("../../resources/mdtest/syntax-errors.md")),
    ("type-errors.md", include_str!("../../resources/mdtest/type-errors.md")),
    ("macros.md", include_str!("../../resources/mdtest/macros.md")),
    ("documents.md", include_str!("../../resources/mdtest/documents.md")),
    ("libraries.md", include_str!("../../resources/mdtest/libraries.md")),
];

/// Expression and expectation of each block.
fn cases(text: &str) -> Vec<(String, String)> {
    text.split("```cel\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```"))
        .filter_map(|(block, _)| block.split_once("\n---\n"))
        .map(|(expression, expected)| (expression.to_owned(), expected.to_owned()))
        .collect()
}

#[test]
fn every_case_in_the_resources_holds() {
    let fixture = Fixture::new();
    let env = fixture.env().build();
    let mut count = 0;
    let mut wrong = String::new();
    for (file, text) in FILES {
        for (expression, expected) in cases(text) {
            count += 1;
            let found = fixture.describe(&env, &expression);
            if found != expected {
                let _ = write!(
                    wrong,
                    "{file}:\n{expression}\n--- expected\n{expected}\n--- found\n{found}\n\n"
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 150, "only {count} cases were found");
}
