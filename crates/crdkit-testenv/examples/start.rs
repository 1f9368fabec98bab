//! How long it takes from nothing to the first answer, for so many servers one after the other: `start [COUNT]`.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a program that measures")]

use crdkit_testenv::TestEnv;
use std::time::Instant;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = std::env::args().nth(1).map_or(Ok(10), |text| text.parse())?;
    for _ in 0..count {
        let started = Instant::now();
        TestEnv::start().await?.client().await?.apiserver_version().await?;
        println!("{:.1} ms", started.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(())
}
