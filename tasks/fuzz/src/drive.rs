//! Tries a target on its seeds and on mutations of them.

use crate::Target;
use crate::edit::edit;
use crate::mutate::{Random, mutate};
use crate::seeds::Seeds;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An input for which something does not hold.
#[derive(Debug)]
pub struct Failure {
    /// Which input it was: a seed, or the mutation of that number.
    pub index: usize,
    /// The input.
    pub input: Vec<u8>,
}

/// Runs `target` on all seeds and then on mutations that `seed` decides, as long as `goes_on` says so of their
/// number; gives the number of inputs.
///
/// # Errors
/// The first input for which it panics.
pub fn drive(
    target: &Target,
    seeds: &Seeds,
    seed: u64,
    mut goes_on: impl FnMut(usize) -> bool,
) -> Result<usize, Failure> {
    let seeds = (target.seeds)(seeds);
    let mut random = Random::new(seed);
    let mutations = (0..).take_while(|n_mutations| goes_on(*n_mutations)).map(|_| {
        let of = random.pick(seeds).map_or(&[][..], Vec::as_slice);
        let other = random.pick(seeds).map_or(&[][..], Vec::as_slice);
        // Half of them remain documents, which get further than text that cannot be read.
        let edited = if random.below(2) == 0 { edit(&mut random, of, other) } else { None };
        edited.unwrap_or_else(|| mutate(&mut random, of, other))
    });
    let mut n_inputs = 0;
    for (index, input) in seeds.iter().cloned().chain(mutations).enumerate() {
        if catch_unwind(AssertUnwindSafe(|| (target.run)(&input))).is_err() {
            return Err(Failure { index, input });
        }
        n_inputs += 1;
    }
    Ok(n_inputs)
}
