//! Tries a target on its seeds and on mutations of them.

use crate::Target;
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

/// Runs `target` on all seeds and then on `n_mutations` mutations that `seed` decides; gives the number of inputs.
///
/// # Errors
/// The first input for which it panics.
pub fn drive(
    target: &Target,
    seeds: &Seeds,
    seed: u64,
    n_mutations: usize,
) -> Result<usize, Failure> {
    let seeds = (target.seeds)(seeds);
    let mut random = Random::new(seed);
    let mutations = (0..n_mutations).map(|_| {
        let of = random.pick(seeds).map_or(&[][..], Vec::as_slice);
        let other = random.pick(seeds).map_or(&[][..], Vec::as_slice);
        mutate(&mut random, of, other)
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
