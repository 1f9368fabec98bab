//! Runs the terminal examples of the README, the user guide and `resources/cmd` and compares what they print.

#[test]
fn terminal_examples_print_what_they_say() {
    // Examples are written from the top of the repository.
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    std::env::set_current_dir(root).unwrap();
    trycmd::TestCases::new()
        .case("README.md")
        .case("docs/*.md")
        .case("crates/crdkit-cli/resources/cmd/*.md");
}
