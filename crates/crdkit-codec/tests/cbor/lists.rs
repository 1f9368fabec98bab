//! Lists and sequences, written and read piece by piece.

use super::{bytes, document, hex};
use crdkit_codec::{DecodeError, DecodeOptions, cbor};
use crdkit_value::Document;
use std::io::{self, Write};

/// Counts writes and bytes and keeps nothing.
#[derive(Default)]
struct Sink {
    sizes: Vec<usize>,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sizes.push(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn list(fields: &str, n_items: usize) -> Document {
    let items: Vec<_> = (0..n_items).map(|i| format!(r#"{{"name":"item {i}"}}"#)).collect();
    document(&format!(r#"{{{fields}"items":[{}]}}"#, items.join(",")))
}

#[test]
fn a_streamed_list_has_the_bytes_of_the_whole_list() {
    for fields in ["", r#""kind":"L","apiVersion":"v1","#, r#""a":1,"items2":2,"z":3,"#] {
        for n_items in [0, 1, 2, 23, 24, 255, 256, 300] {
            let list = list(fields, n_items);
            let mut whole = Vec::new();
            cbor::encode(list.root(), cbor::Order::Sorted, &mut whole).unwrap();
            let streamed = cbor::write_list(Vec::new(), list.root(), cbor::Order::Sorted).unwrap();
            assert_eq!(hex(&streamed), hex(&whole));
        }
    }
}

#[test]
fn a_streamed_list_is_written_in_pieces_no_larger_than_an_item() {
    let list = list(r#""kind":"L","#, 10_000);
    let sink = cbor::write_list(Sink::default(), list.root(), cbor::Order::Sorted).unwrap();
    assert!(sink.sizes.len() > 10_000);
    assert!(sink.sizes.iter().all(|size| *size <= 20), "{:?}", sink.sizes.iter().max());
}

#[test]
fn a_list_that_is_rotated_says_the_same() {
    let list = list(r#""kind":"L","apiVersion":"v1","metadata":{},"#, 3);
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..64_u64 {
        let order = cbor::Order::Rotated(seed << 58);
        let out = cbor::write_list(Vec::new(), list.root(), order).unwrap();
        let decoded = cbor::decode(&out, &DecodeOptions::default()).unwrap();
        assert_eq!(decoded.document, list);
        seen.insert(out);
    }
    assert_eq!(seen.len(), 4);
}

#[test]
fn the_number_of_items_must_be_the_announced_one() {
    let fields = document("{}");
    let begin = |n| cbor::ListWriter::begin(Vec::new(), fields.root(), n, cbor::Order::Sorted);
    let mut writer = begin(1).unwrap();
    writer.item(fields.root()).unwrap();
    assert!(matches!(writer.item(fields.root()), Err(cbor::WriteError::Count { announced: 1 })));
    assert!(matches!(begin(1).unwrap().finish(), Err(cbor::WriteError::Count { announced: 1 })));
    let mut writer = begin(1).unwrap();
    writer.encoded_item(&[0x01]).unwrap();
    assert_eq!(hex(&writer.finish().unwrap()), "d9d9f7a1456974656d738101");
}

#[test]
fn rotation_begins_everywhere_and_loses_nothing() {
    let object = document(r#"{"a":1,"b":2,"c":{"d":4,"e":5},"f":[{"g":6,"h":7}]}"#);
    let mut firsts = [0; 4];
    for seed in 0..4_000_u64 {
        let mut out = Vec::new();
        let order = cbor::Order::Rotated(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        cbor::write(object.root(), order, &mut out).unwrap();
        assert_eq!(cbor::decode(&out, &DecodeOptions::default()).unwrap().document, object);
        firsts[usize::from(out[2] - b'a').min(3)] += 1;
    }
    assert!(firsts.iter().all(|n| *n > 700), "{firsts:?}");
}

#[test]
fn a_sequence_written_is_the_sequence_read() {
    let items = [document(r#"{"type":"ADDED"}"#), document("[1,2]"), document("null")];
    let mut writer = cbor::SequenceWriter::new(Vec::new());
    for item in &items {
        writer.write(item.root(), cbor::Order::Sorted).unwrap();
    }
    let written = writer.into_inner();
    let options = DecodeOptions::default();
    for chunk in [1, 2, 3, 1024] {
        let rules = cbor::Rules::frames(&options.limits);
        let mut frames = cbor::Frames::with_chunk_size(&written[..], chunk, rules, 1024);
        let mut read = Vec::new();
        while let Some((frame, at)) = frames.next_frame().unwrap() {
            assert_eq!(frame, &written[at..at + frame.len()]);
            read.push(cbor::decode(frame, &options).unwrap().document);
        }
        assert_eq!(read, items);
    }
    let read: Vec<_> = cbor::Documents::from_read(&written[..], &options)
        .map(|decoded| decoded.unwrap().document)
        .collect();
    assert_eq!(read, items);
}

/// Gives one piece per read, and an error where a piece is empty.
struct Pieces(Vec<Vec<u8>>);

impl io::Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Ok(0);
        }
        let piece = self.0.remove(0);
        if piece.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        out[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }
}

#[test]
fn a_frame_is_given_as_soon_as_it_has_arrived() {
    let pieces = ["01 82 02", "03 44", "", "61626364", ""].map(bytes);
    let rules = cbor::Rules::frames(&DecodeOptions::default().limits);
    let mut frames = cbor::Frames::from_read(Pieces(pieces.to_vec()), rules, 100);
    let next = || match frames.next_frame() {
        Ok(Some((frame, at))) => format!("{} {at}", hex(frame)),
        Ok(None) => "end".into(),
        Err(DecodeError::Io(error)) => error.kind().to_string(),
        Err(DecodeError::Refused(issue)) => issue.code.name().into(),
    };
    let outcomes: Vec<_> = std::iter::repeat_with(next).take(6).collect();
    let blocked = io::ErrorKind::WouldBlock.to_string();
    assert_eq!(outcomes, ["01 0", "820203 1", &blocked, "4461626364 4", &blocked, "end"]);
}

#[test]
fn an_event_holds_its_object_with_a_tag_of_its_own() {
    let write = |order| {
        let mut writer = cbor::SequenceWriter::new(Vec::new());
        writer.event("ADDED", document(r#"{"a":1}"#).root(), order).unwrap();
        cbor::diag::notation(&writer.into_inner()).unwrap()
    };
    let sorted = "55799({'type': 'ADDED', 'object': 55799({'a': 1})})";
    assert_eq!(write(cbor::Order::Sorted), sorted);
    let rotated = "55799({'object': 55799({'a': 1}), 'type': 'ADDED'})";
    assert_eq!(write(cbor::Order::Rotated(1)), rotated);
}

#[test]
fn a_refused_item_does_not_end_a_sequence_and_an_ill_formed_one_does() {
    let outcomes = |hex: &str| {
        let options = DecodeOptions::default();
        let input = bytes(hex);
        let outcomes: Vec<_> = cbor::Documents::from_slice(&input, &options)
            .map(|outcome| match outcome {
                Ok(decoded) => format!("{:?}", decoded.document),
                Err(DecodeError::Refused(issue)) => {
                    format!("{} {}", issue.code, issue.span.unwrap().start)
                }
                Err(DecodeError::Io(error)) => error.to_string(),
            })
            .collect();
        outcomes
    };
    assert_eq!(outcomes("01 f7 02"), ["1", "cbor-simple-value 1", "2"]);
    assert_eq!(outcomes("01 82 02 61ff 03"), ["1", "cbor-invalid-utf8 3", "3"]);
    assert_eq!(outcomes("01 c04161 02"), ["1", "cbor-tag-content 1", "2"]);
    assert_eq!(outcomes("01 1c 02"), ["1", "cbor-reserved-argument 1", "not-read 2"]);
    assert_eq!(outcomes("01 82 02"), ["1", "cbor-truncated 3"]);
    assert_eq!(outcomes(""), Vec::<String>::new());
}

#[test]
fn the_go_clients_bounds_for_frames_are_narrower() {
    let deep = [vec![0x81; 32], vec![0x80]].concat();
    let frame = |rules| cbor::Frames::from_slice(&deep, rules).next_frame().is_ok();
    assert!(!frame(cbor::Rules::go_client_frames()));
    assert!(frame(cbor::Rules::frames(&DecodeOptions::default().limits)));
}
