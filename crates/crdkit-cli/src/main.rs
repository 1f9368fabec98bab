//! The `crdkit` command.

fn main() {}
