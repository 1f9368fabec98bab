//! One connection that writes until the server is gone, and remembers what was acknowledged.

use bytes::Bytes;
use chaos::client::{Connection, Connector};
use crdkit_store::suite::SchedulePlan;
use std::collections::BTreeMap;

pub(crate) const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// Objects of one writer, which nobody else writes.
const OBJECTS: u64 = 12;

/// What one writer knows.
#[derive(Debug, Default)]
pub(crate) struct WriterState {
    pub(crate) number: usize,
    /// The number in each object that is there.
    pub(crate) objects: BTreeMap<String, u64>,
    /// What was asked for and not answered: the object, and its number if it was not a deletion.
    pub(crate) open: Option<(String, Option<u64>)>,
    pub(crate) acknowledged: u64,
    /// The newest version that was answered.
    pub(crate) version: u64,
    pub(crate) count: u64,
}

/// Writes until there is no answer any more.
pub(crate) async fn run(connector: Connector, mut state: WriterState, seed: u64) -> WriterState {
    let mut plan = SchedulePlan(seed);
    let Ok(mut connection) = connector.connect().await else { return state };
    loop {
        let name = format!("w{}-{}", state.number, plan.below(OBJECTS));
        state.count += 1;
        let number = state.count;
        let is_there = state.objects.contains_key(&name);
        let wanted = (!is_there || plan.below(4) > 0).then_some(number);
        state.open = Some((name.clone(), wanted));
        let Some(version) = step(&mut connection, &name, is_there, wanted, &mut plan).await else {
            return state;
        };
        state.version = state.version.max(version);
        state.open = None;
        state.acknowledged += 1;
        match wanted {
            Some(number) => state.objects.insert(name, number),
            None => state.objects.remove(&name),
        };
    }
}

/// Creates, patches or deletes an object; gives its version, or nothing if there was no answer.
#[expect(clippy::exit, reason = "nothing that follows would mean anything")]
async fn step(
    connection: &mut Connection,
    name: &str,
    is_there: bool,
    wanted: Option<u64>,
    plan: &mut SchedulePlan,
) -> Option<u64> {
    let path = format!("{MAPS}/{name}");
    let fill = "x".repeat(usize::try_from(plan.below(3000)).unwrap_or(0));
    let (code, answer) = match wanted {
        None => connection.call("DELETE", &path, Bytes::new()).await.ok()?,
        Some(number) if is_there => {
            let change = format!(r#"{{"data":{{"number":"{number}","fill":"{fill}"}}}}"#);
            connection.call("PATCH", &path, change).await.ok()?
        }
        Some(number) => {
            let object = format!(
                r#"{{"metadata":{{"name":"{name}"}},"data":{{"number":"{number}","fill":"{fill}"}}}}"#
            );
            connection.call("POST", MAPS, object).await.ok()?
        }
    };
    // Anything but success means that the server knows something else than this writer.
    if !(200..300).contains(&code) {
        eprintln!("{code} for {name}: {}", String::from_utf8_lossy(&answer));
        std::process::exit(1);
    }
    let answer: serde_json::Value = serde_json::from_slice(&answer).ok()?;
    let version = answer.pointer("/metadata/resourceVersion").and_then(|it| it.as_str());
    Some(version.and_then(|it| it.parse().ok()).unwrap_or_default())
}
