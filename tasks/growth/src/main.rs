//! `growth check [FILTER]` measures every case at four sizes, each twice the one before, in processes of their own, and
//! fails where costs grow faster than the input; `growth report` does the same at larger sizes, with instructions if
//! `valgrind` is there, and writes `tasks/growth/report.md`; `growth one CASE N` is one measurement.
//!
//! What is counted is the same on every machine: bytes allocated in all, the most at one time, instructions.

mod cases;
mod inputs;
mod runs;

use anyhow::{Context as _, Result, bail};
use cap::Cap;
use cases::{CASES, Case};
use std::alloc::System;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Costs may grow like this power of the input.
const STEEPEST: f64 = 1.15;
/// No case takes more memory, whatever it does: inputs are smaller than a megabyte.
const MOST_BYTES: f64 = 256e6;

/// What one run cost.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// The size of the input.
    input: f64,
    allocated: f64,
    peak: f64,
    instructions: Option<f64>,
}

#[expect(clippy::print_stdout, reason = "a program for the terminal")]
fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["one", name, n] => {
            let case = CASES.iter().find(|case| case.name == *name).context("no such case")?;
            let input = (case.input)(n.parse()?);
            let (before, held) = (ALLOCATOR.total_allocated(), ALLOCATOR.allocated());
            (case.run)(&input);
            let allocated = ALLOCATOR.total_allocated() - before;
            println!("{} {allocated} {}", input.size(), ALLOCATOR.max_allocated() - held);
        }
        ["check", rest @ ..] => {
            let (text, failures) = measure(rest.first().copied(), 1, false)?;
            print!("{text}");
            if !failures.is_empty() {
                bail!("{}", failures.join("\n"));
            }
        }
        ["report", rest @ ..] => {
            let (text, failures) = measure(rest.first().copied(), 8, has_valgrind())?;
            print!("{text}");
            if rest.is_empty() {
                std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("report.md"), text)?;
            }
            if !failures.is_empty() {
                bail!("{}", failures.join("\n"));
            }
        }
        _ => bail!("usage: growth check [FILTER] | report [FILTER] | one CASE N"),
    }
    Ok(())
}

/// The report, and what is wrong.
fn measure(filter: Option<&str>, factor: usize, counts: bool) -> Result<(String, Vec<String>)> {
    let mut text = String::from(
        "# Growth\n\nWritten by `cargo run --release -p growth -- report`. Each case at four sizes, each twice the one before; the power of\n\
         the input that costs grow with, and the most memory at one time. What is limited asks for more than its input by nature, and\n\
         a limit holds it.\n\n\
         | Case | Input, bytes | Allocated | Power | Peak | Power | Instructions | Power |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut failures = Vec::new();
    for case in CASES.iter().filter(|case| filter.is_none_or(|filter| case.name.contains(filter))) {
        let costs = [1, 2, 4, 8].map(|times| cost(case, case.n * factor * times, counts));
        let costs = costs.into_iter().collect::<Result<Vec<_>>>()?;
        let (Some(first), Some(last)) = (costs.first(), costs.last()) else { continue };
        let allocated = power(first, last, |it| it.allocated);
        let peak = power(first, last, |it| it.peak);
        let instructions = first.instructions.zip(last.instructions).map(|(low, high)| {
            (high, power(first, last, |it| if it.input == first.input { low } else { high }))
        });
        let shown = instructions.map_or(("-".to_owned(), "-".to_owned()), |(high, power)| {
            (format!("{high:.0}"), format!("{power:.2}"))
        });
        writeln!(
            text,
            "| {}{} | {:.0} | {:.0} | {allocated:.2} | {:.0} | {peak:.2} | {} | {} |",
            case.name,
            if case.is_limited { " (limited)" } else { "" },
            last.input,
            last.allocated,
            last.peak,
            shown.0,
            shown.1
        )?;
        let steep = [allocated, peak, instructions.map_or(0.0, |(_, power)| power)];
        if !case.is_limited && steep.iter().any(|power| *power > STEEPEST) {
            failures.push(format!("{}: grows with the power {steep:.2?}", case.name));
        }
        if last.peak > MOST_BYTES {
            failures.push(format!("{}: {:.0} bytes at one time", case.name, last.peak));
        }
    }
    Ok((text, failures))
}

/// The power of the input that a cost grows with; what is small at any size does not count.
fn power(first: &Cost, last: &Cost, of: impl Fn(&Cost) -> f64) -> f64 {
    const SMALL: f64 = 65_536.0;
    if of(last) < SMALL || last.input <= first.input {
        return 0.0;
    }
    (of(last) / of(first).max(1.0)).ln() / (last.input / first.input).ln()
}

/// What a case costs at a size, in a process of its own.
fn cost(case: &Case, n: usize, counts: bool) -> Result<Cost> {
    let program = std::env::current_exe()?;
    let one = |command: &mut Command| -> Result<(String, String)> {
        let output = command.args(["one", case.name, &n.to_string()]).output()?;
        let [out, errors] =
            [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
        if !output.status.success() {
            bail!("{} with {n} ends with {}: {errors}", case.name, output.status);
        }
        Ok((out, errors))
    };
    let (numbers, _) = one(&mut Command::new(&program))?;
    let numbers: Vec<f64> = numbers.split_whitespace().filter_map(|it| it.parse().ok()).collect();
    let [input, allocated, peak] = *numbers else { bail!("{}: no numbers", case.name) };
    let mut cost = Cost { input, allocated, peak, instructions: None };
    if counts {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&program);
        let (_, errors) = one(&mut valgrind)?;
        let collected = errors.lines().find_map(|line| line.split_once("Collected : "));
        cost.instructions = collected.and_then(|(_, number)| number.trim().parse().ok());
    }
    Ok(cost)
}

fn has_valgrind() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok()
}
