//! Suite `native-table`: the row of a table for objects of native kinds.
//!
//! Ages were recorded as `<age>`.

use super::{Suite, native};
use crate::answer::Answer;
use crate::case::Case;
use crate::score::Score;
use crdkit_native::NativeCell;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Value};

pub(crate) const SUITE: Suite = Suite {
    name: "native-table",
    cases: "native/native-table.jsonl.gz",
    crds: None,
    prepare: |_| Ok(Box::new(answer)),
    score,
};

fn answer(case: &Case) -> Vec<u8> {
    let answer = Answer::to(&case.id);
    let Some(kind) = native::kind(case.text("gvk")) else { return answer.finish() };
    let object = case.get("object").map(Document::copy_of).unwrap_or_default();
    let now = Timestamp { seconds: 1_794_816_000, nanoseconds: 0, offset: 0 };
    let cells = kind.row(object.root(), now).cells;
    let mut row = Document::array_of::<&Document>([]);
    for cell in &cells {
        match cell {
            NativeCell::Text(text) => row.push(crdkit_value::NodeId::ROOT, text.as_str()),
            NativeCell::Int(int) => row.push(crdkit_value::NodeId::ROOT, *int),
            NativeCell::Bool(bool) => row.push(crdkit_value::NodeId::ROOT, *bool),
            _ => row.push(crdkit_value::NodeId::ROOT, crdkit_value::NewValue::Null),
        };
    }
    answer.value("cells", row.root()).finish()
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    let cells = |root: Value<'_>| {
        let cells = root.get("cells").into_iter().flat_map(Value::items);
        cells.map(Document::copy_of).collect::<Vec<_>>()
    };
    let (wanted, given) = (cells(case.root()), cells(answer.root()));
    let same = |want: &Document, got: &Document| {
        want.root().as_str().is_some_and(|text| text.contains("<age>")) || want.root() == got.root()
    };
    let right =
        wanted.len() == given.len() && wanted.iter().zip(&given).all(|(want, got)| same(want, got));
    score.add("row", right, &case.id);
}
