//! Nothing grows faster than its input.

use std::process::Command;

// Proves REQ-117.
#[test]
fn costs_grow_with_the_input() {
    let output = Command::new(env!("CARGO_BIN_EXE_growth")).arg("check").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}
