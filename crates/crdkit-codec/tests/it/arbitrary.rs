//! Random documents.

use crdkit_issue::Span;
use crdkit_value::{Builder, Document, Duplicates, Event, Limits};
use proptest::prelude::*;

/// A value as proptest likes to make and shrink it.
#[derive(Clone, Debug)]
enum Tree {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    String(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// Any document; keys of one object differ.
pub(crate) fn document() -> impl Strategy<Value = Document> {
    tree().prop_map(|tree| {
        let limits = Limits::default();
        let mut builder = Builder::new(&limits, Duplicates::LastWins);
        feed(&tree, &mut builder);
        builder.finish().0
    })
}

/// Text that tends to look like something else than a string.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => any::<String>(),
        4 => "[ -~]{0,12}",
        2 => "[-+0-9.eExob_:]{1,6}",
        1 => "[ \t\r\n#:&*!|>'\"%@`?,{}\\[\\]-]{1,6}",
        1 => "(~|null|Null|yes|No|on|OFF|true|y|N|\\.inf|-\\.Inf|\\.nan|<<|=|---|\\.\\.\\.|0x1F|010|08|1_000|2001-01-01)",
        1 => "([a-z ]{0,5}\n){1,4}[a-z ]{0,5}",
    ]
}

fn tree() -> impl Strategy<Value = Tree> {
    let float = any::<f64>().prop_filter("JSON has no such number", |float| float.is_finite());
    let leaf = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Bool),
        any::<i64>().prop_map(Tree::Int),
        float.prop_map(Tree::Float),
        text().prop_map(Tree::String),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Tree::Array),
            prop::collection::vec((text(), inner), 0..6).prop_map(Tree::Object),
        ]
    })
}

fn feed(tree: &Tree, builder: &mut Builder<'_>) {
    let mut say = |event| builder.event(event, Span::default()).unwrap();
    match tree {
        Tree::Null => say(Event::Null),
        Tree::Bool(bool) => say(Event::Bool(*bool)),
        Tree::Int(int) => say(Event::Int(*int)),
        Tree::Float(float) => say(Event::Float(*float)),
        Tree::String(text) => say(Event::String(text)),
        Tree::Array(items) => {
            say(Event::BeginArray);
            for item in items {
                feed(item, builder);
            }
            builder.event(Event::EndArray, Span::default()).unwrap();
        }
        Tree::Object(members) => {
            say(Event::BeginObject);
            for (key, value) in members {
                builder.event(Event::Key(key), Span::default()).unwrap();
                feed(value, builder);
            }
            builder.event(Event::EndObject, Span::default()).unwrap();
        }
    }
}
