//! Lists taken apart without holding them.

use crate::json_resume::Slow;
use crdkit_codec::json::{self, Documents, Framing, Layout, ListOutline};
use crdkit_codec::{DecodeError, DecodeOptions};
use crdkit_value::{Document, Value};
use proptest::prelude::*;

const OPTIONS: fn() -> DecodeOptions = || DecodeOptions::new().positions(true);

fn outline(text: &str, n_bytes: usize, piece: usize) -> Option<ListOutline> {
    let reader = Slow { text: text.as_bytes(), n_bytes };
    ListOutline::read(reader, piece, &OPTIONS()).unwrap()
}

/// A value and where each part of it stands, counted from `base`.
fn described(document: &Document, value: Value<'_>, base: usize) -> String {
    let places = value.ids().map(|id| document.place(id).unwrap().value.start + base);
    format!("{} {:?}", json::text(value, Layout::Compact), places.collect::<Vec<_>>())
}

/// The items of all pieces.
fn items(text: &str, outline: &ListOutline) -> Vec<String> {
    let mut start = outline.start;
    let mut all = Vec::new();
    for end in &outline.ends {
        let options = OPTIONS();
        let piece = text.as_bytes().get(start..*end).unwrap();
        all.extend(Documents::from_slice(piece, Framing::Items, &options).map(|item| match item {
            Ok(item) => described(&item.document, item.document.root(), start),
            Err(DecodeError::Refused(issue)) => {
                format!("{} @ {}", issue.code, start + issue.span.unwrap().start)
            }
            Err(DecodeError::Io(error)) => panic!("{error}"),
        }));
        start = *end;
    }
    all
}

#[test]
fn what_is_around_the_items_is_kept() {
    let text = r#" {"kind":"List","a":{"items":[1]},"items" : [ {"b":[{}]},{} ],"c":"items"}  "#;
    let outline = outline(text, 1, 1).unwrap();
    let around = json::text(outline.around.document.root(), Layout::Compact);
    assert_eq!(around, r#"{"kind":"List","a":{"items":[1]},"items":[],"c":"items"}"#);
    assert_eq!(outline.start, text.find("[ {").unwrap() + 1);
    assert_eq!(outline.ends, [text.find(",{}").unwrap(), text.find(" ],").unwrap()]);
}

#[test]
fn what_is_not_a_list_of_objects_has_no_outline() {
    for text in [
        "",
        "[]",
        "[{}]",
        r#"{"a":[{}]}"#,
        r#"{"items":null}"#,
        r#"{"items":[1]}"#,
        r#"{"items":[{},[]]}"#,
        r#"{"items":[{} {}]}"#,
        r#"{"items":[{},]}"#,
        r#"{"items":[,{}]}"#,
        r#"{"items":[{}],"items":[{}]}"#,
        r#"{"items":[{}]} {}"#,
        r#"{"items":[{}]"#,
        r#"{"items":[{"a":"#,
        r#"{"items":[{}],"a":x}"#,
        r#"{"items":{"a":[{}]}}"#,
        r#"{"x":"items","y":[{}]}"#,
    ] {
        for n_bytes in [1, 3, 100] {
            assert!(outline(text, n_bytes, 1).is_none(), "{text}");
        }
    }
    assert_eq!(outline(r#"{"items":[ ]}"#, 1, 1).unwrap().ends, []);
}

#[test]
fn a_broken_item_is_refused_alone() {
    let text = r#"{"items":[{"a":1},{"b":[x,{"c":"]}"}]},{"d":1e999},{"e":"\q"},{"f":2}]}"#;
    for (n_bytes, piece) in [(1, 1), (7, 20), (100, 1000)] {
        let found = items(text, &outline(text, n_bytes, piece).unwrap());
        let codes: Vec<_> = found.iter().map(|it| it.split(" @").next().unwrap()).collect();
        let [first, broken, number, escape, last] = codes[..] else { panic!("{found:?}") };
        assert!(first.starts_with(r#"{"a":1}"#) && last.starts_with(r#"{"f":2}"#));
        assert_eq!([broken, number, escape], ["json-syntax", "number-range", "json-syntax"]);
        assert_eq!(found[1], format!("json-syntax @ {}", text.find('x').unwrap()));
    }
}

fn object() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "-2.5e3",
        "null",
        r#""},{""#,
        r#""\"]}\\""#,
        "[]",
        "{}",
        "\"\u{e9}\u{1f600}\"",
        "[ [{ }],\n{\"items\":[{}]} ]",
    ]);
    prop::collection::vec((leaf, 0_usize..3), 0..5).prop_map(|members| {
        let members: Vec<_> = members
            .iter()
            .enumerate()
            .map(|(at, (leaf, blanks))| format!("\"k{at}\":{}{leaf}", "\n ".repeat(*blanks)))
            .collect();
        format!("{{{}}}", members.join(","))
    })
}

proptest! {
    #[test]
    fn any_chunks_and_pieces_give_the_items_of_the_whole(
        objects in prop::collection::vec(object(), 0..8),
        between in prop::sample::select(vec![",", ",\n  ", " , "]),
        n_bytes in 1_usize..80,
        piece in 0_usize..100,
    ) {
        let text = format!("{{\"items\":[{}],\n\"kind\":\"List\"}}", objects.join(between));
        let whole = json::decode(text.as_bytes(), &OPTIONS()).unwrap().document;
        let expected: Vec<_> = whole.root().get("items").unwrap().items()
            .map(|item| described(&whole, item, 0)).collect();
        let outline = outline(&text, n_bytes, piece).unwrap();
        prop_assert_eq!(items(&text, &outline), expected);
    }
}
