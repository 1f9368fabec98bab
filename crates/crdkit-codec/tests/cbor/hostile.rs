//! Input made to do harm: cut off anywhere, nested without end, with lengths nobody has memory for.

use super::bytes;
use crdkit_codec::{DecodeError, DecodeOptions, cbor, go_json, json};
use std::io::{self, Read};

fn code(input: &[u8]) -> &'static str {
    let outcome = cbor::decode(input, &DecodeOptions::default());
    outcome.map_or_else(|issue| issue.code.name(), |_| "ok")
}

/// The code a reader over chunks ends with.
fn streamed(input: impl Read) -> &'static str {
    let options = DecodeOptions::default();
    let mut reader = cbor::Reader::with_chunk_size(input, 4096, &options.limits);
    loop {
        match reader.next_event() {
            Ok(Some(_)) => {}
            Ok(None) => return "ok",
            Err(DecodeError::Refused(issue)) => return issue.code.name(),
            Err(DecodeError::Io(_)) => return "io",
        }
    }
}

#[test]
fn an_item_cut_off_anywhere_is_truncated() {
    let item = bytes(
        "d9d9f7 a5 4161 9f 01 190100 ff 4162 5f 4101 4102 ff 4163 c11a514b67b0 4164 fb3ff199999999999a 4165 bf 6161 f6 ff",
    );
    assert_eq!(code(&item), "ok");
    assert_eq!(code(&[]), "cbor-empty-input");
    for end in 1..item.len() {
        assert_eq!(code(&item[..end]), "cbor-truncated", "{end}");
        assert_eq!(streamed(&item[..end]), "cbor-truncated", "{end}");
    }
}

#[test]
fn lengths_that_are_only_claimed_take_no_memory() {
    for head in [
        "5a05f5e100",
        "7a05f5e100",
        "5bfffffffffffff0",
        "5b7fffffffffffffff",
        "9a7fffffff",
        "9b7fffffffffffffff",
        "ba001fffff",
        "bb7fffffffffffffff",
    ] {
        for prefix in ["", "d9d9f7", "81", "a14161", "9f", "5f"] {
            let input = bytes(&format!("{prefix}{head}"));
            assert_ne!(code(&input), "ok", "{prefix}{head}");
            assert_ne!(streamed(&input[..]), "ok", "{prefix}{head}");
        }
    }
}

#[test]
fn nesting_is_bounded_without_recursion() {
    let thread = std::thread::Builder::new().stack_size(128 * 1024);
    let run = || {
        for open in ["9f", "81", "a14161", "bf4161", "c6"] {
            let open = bytes(open);
            let many = open.repeat(1_000_000 / open.len());
            assert_eq!(code(&many), "cbor-nesting-too-deep");
            assert_eq!(streamed(&many[..]), "cbor-nesting-too-deep");
            assert!(cbor::diag::notation(&many).is_err());
            assert!(cbor::check_embedded(&many).is_err());
        }
        let nested = |n: usize| [vec![0x81; n], vec![0x01]].concat();
        assert_eq!(code(&nested(10_000)), "ok");
        assert_eq!(code(&nested(10_001)), "cbor-nesting-too-deep");
        // The first tag is free, each further one nests.
        let tagged = |n: usize| [vec![0xC6; n], vec![0x01]].concat();
        assert_eq!(code(&tagged(10_001)), "ok");
        assert_eq!(code(&tagged(10_002)), "cbor-nesting-too-deep");
        let deep = cbor::decode(&nested(10_000), &DecodeOptions::default()).unwrap().document;
        let mut out = Vec::new();
        cbor::write(deep.root(), cbor::Order::Sorted, &mut out).unwrap();
        cbor::write(deep.root(), cbor::Order::Rotated(1), &mut out).unwrap();
        go_json::write(deep.root(), json::Layout::Compact, &mut out);
    };
    thread.spawn(run).unwrap().join().unwrap();
}

/// Time grows with the input, not with its square: each of these takes minutes otherwise.
#[test]
fn nothing_takes_quadratic_time() {
    let n = 200_000_u32;
    let mut keys = vec![0xBA];
    keys.extend(n.to_be_bytes());
    for i in 0..n {
        keys.push(0x44);
        keys.extend(i.to_be_bytes());
        keys.push(0xF6);
    }
    assert_eq!(code(&keys), "ok");
    *keys.last_mut().unwrap() = 0xF7;
    assert_eq!(code(&keys), "cbor-simple-value");
    let chunks = [vec![0x5F], [0x41, 0xFF].repeat(500_000), vec![0xFF]].concat();
    assert_eq!(code(&chunks), "ok");
    assert_eq!(streamed(&chunks[..]), "ok");
    let wrong = [vec![0x9F; 9_000], [0x81, 0xF7].repeat(100_000), vec![0xFF; 9_000]].concat();
    assert_eq!(code(&wrong), "cbor-simple-value");
}

#[test]
fn an_input_beyond_the_limit_is_refused_before_it_is_read() {
    let mut options = DecodeOptions::default();
    options.limits.bytes = 10_000;
    let head = bytes("5b00ffffffffffffff");
    let endless = (&head[..]).chain(io::repeat(0));
    let mut reader = cbor::Reader::from_read(endless, &options.limits);
    let Err(DecodeError::Refused(issue)) = reader.next_event() else { panic!("was read") };
    assert_eq!(issue.code.name(), "input-too-large");
    let long = [bytes("59ffff"), vec![0; 65_535]].concat();
    assert_eq!(cbor::decode(&long, &options).unwrap_err().code.name(), "input-too-large");
    let short = [bytes("592711"), vec![0; 10_001]].concat();
    for input in [long, short] {
        let mut documents = cbor::Documents::from_read(&input[..], &options);
        assert!(documents.next().unwrap().is_err());
        assert!(documents.next().is_none());
    }
}
