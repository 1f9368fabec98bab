//! What decoding and encoding take from the allocator. A program of its own, so that nothing else allocates
//! while it counts.
#![expect(clippy::unwrap_used, reason = "a test stops where it is wrong")]

use crdkit_codec::{DecodeOptions, cbor, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::hint::black_box;
use std::io;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes that `run` takes in all, given back or not.
fn taken<T>(run: impl FnOnce() -> T) -> usize {
    let region = Region::new(ALLOCATOR);
    drop(black_box(run()));
    region.change().bytes_allocated
}

fn decoding(input: &[u8]) -> usize {
    let options = DecodeOptions::default();
    taken(|| cbor::decode(input, &options)).max(taken(|| {
        let mut reader = cbor::Reader::from_slice(input, &options.limits);
        while let Ok(Some(_)) = reader.next_event() {}
    }))
}

/// A number that looks random, from one that counts.
fn scrambled(n: u64) -> u64 {
    let n = (n ^ n >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (n ^ n >> 27).wrapping_mul(0x94D0_49BB_1331_11EB)
}

/// One test, because counting does not tell threads apart.
#[test]
fn memory_is_bounded_by_the_input() {
    small_input_takes_little();
    memory_grows_with_the_input_alone();
    a_list_takes_no_more_than_its_largest_item();
}

/// Whatever 128 bytes claim.
fn small_input_takes_little() {
    const HEADS: &[u8] = &[0x5A, 0x5B, 0x7B, 0x9A, 0x9B, 0xBA, 0xBB, 0x9F, 0xBF, 0x5F, 0x81, 0xA1];
    for seed in 0..20_000_u64 {
        let n = usize::try_from(scrambled(seed) % 128).unwrap();
        let mut input: Vec<u8> =
            (0..n as u64).map(|at| scrambled(seed << 8 | at).to_le_bytes()[0]).collect();
        // Bytes alone rarely begin with something large.
        let head = HEADS.get(usize::try_from(seed).unwrap() % (HEADS.len() * 2));
        input.splice(..0, head.copied());
        let taken = decoding(&input);
        assert!(taken <= 16 * 1024, "{taken} bytes for {input:02x?}");
    }
}

fn memory_grows_with_the_input_alone() {
    let repeated = |piece: &[u8], n: usize| {
        let mut input = vec![0x9F];
        (0..n).for_each(|_| input.extend_from_slice(piece));
        input.push(0xFF);
        input
    };
    let deep_tags: Vec<u8> = [vec![0xC6; 10_000], vec![1]].concat();
    let deep_arrays: Vec<u8> = [vec![0x9F; 9_999], vec![0xFF; 9_999]].concat();
    for piece in
        [&deep_tags[..], &deep_arrays, &[0xA1, 0x41, 0x61, 0xF6], &[0x5F, 0x41, 0x61, 0xFF]]
    {
        let (one, ten) = (repeated(piece, 20), repeated(piece, 200));
        let (one, ten) = (decoding(&one), decoding(&ten));
        assert!(ten <= one * 20, "{one} bytes became {ten}");
    }
}

fn a_list_takes_no_more_than_its_largest_item() {
    let item =
        json::decode(br#"{"kind":"Widget","spec":{"n":[1,2,3]}}"#, &DecodeOptions::default());
    let item = item.unwrap().document;
    let of = |n| {
        taken(|| {
            let out = io::sink();
            let mut writer =
                cbor::ListWriter::begin(out, item.root(), n, cbor::Order::Sorted).unwrap();
            (0..n).for_each(|_| writer.item(item.root()).unwrap());
            writer.finish().unwrap()
        })
    };
    // What an item takes is given back before the next one; nothing is kept for the whole list.
    let (few, many) = (of(100), of(10_000));
    assert!(many <= few * 101, "{few} bytes became {many}");
}
