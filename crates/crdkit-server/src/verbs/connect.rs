//! What only nodes could answer: logs, and connections into pods, services and nodes.
//!
//! A request is taken as far as the API server takes it without them: the object and the container have to be there, and
//! a pod that nothing runs yet has no log. Where a node would be called, the answer is that it could not be.

use super::Target;
use crate::answer::Answer;
use crate::stored;
use crdkit_schema::status::{Status, Subject};
use crdkit_text::quote::quote;
use crdkit_value::{Document, Value};
use std::fmt::Write as _;

impl Target<'_> {
    /// Whether the path leads to something that runs.
    pub(super) fn is_connection(&self) -> bool {
        let subresource = self.subresource.unwrap_or_default();
        self.served.resource.kind.group.is_empty()
            && ["attach", "exec", "log", "portforward", "proxy"].contains(&subresource)
    }

    /// The answer about something that runs.
    pub(super) async fn connect(&self) -> Result<Answer, Box<Status>> {
        let name = self.name()?;
        let to = self.subresource.unwrap_or_default();
        // A name may be that of a port or of a scheme as well: `https:web:8443`.
        let named = match name.split(':').collect::<Vec<_>>().as_slice() {
            [_, name, _] | [name, _] if to == "proxy" => *name,
            _ => name,
        };
        let Some(entry) = self.entry(named).await? else {
            return Err(self.subject(named).not_found().into());
        };
        let object = stored::object(&entry);
        let text = |pointer: &str| {
            object.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default()
        };
        match (&*self.served.resource.plural, to) {
            ("services", _) => {
                let why = format!("no endpoints available for service {}", quote(name));
                Err(Status::service_unavailable(why).into())
            }
            ("pods", "proxy") => match text("/status/podIP") {
                "" => Err(Status::bad_request("address not allowed").into()),
                address => Err(unreachable(address)),
            },
            ("pods", _) => {
                if to != "portforward" {
                    let container = self.request.query.text("container");
                    container_of(object.root(), named, container)?;
                }
                match text("/spec/nodeName") {
                    "" if to == "log" => Ok(Answer::empty(204)),
                    "" => {
                        let why = format!("pod {named} does not have a host assigned");
                        Err(Status::bad_request(why).into())
                    }
                    node => Err(self.node(node).await?),
                }
            }
            _ => Err(at_node(&object)),
        }
    }

    /// Why a node cannot be called.
    async fn node(&self, name: &str) -> Result<Box<Status>, Box<Status>> {
        let Some(nodes) = self.core.find("", "v1", "nodes") else {
            return Ok(Status::no_such_path().into());
        };
        let entry = self.core.get(&nodes.key(&self.core.layout, None, name)).await?;
        Ok(match entry {
            Some(node) => at_node(&stored::object(&node)),
            None => Subject { group: "", version: "v1", kind: "nodes", name }.not_found().into(),
        })
    }
}

/// Why `node` cannot be called: it has no address, or nothing is there.
fn at_node(node: &Document) -> Box<Status> {
    let addresses = node.root().pointer("/status/addresses").into_iter().flat_map(Value::items);
    let mut addresses = addresses.filter_map(|it| it.get("address")?.as_str());
    match addresses.next() {
        None => Status::unclassified("no preferred addresses found; known addresses: []").into(),
        Some(address) => unreachable(address),
    }
}

fn unreachable(address: &str) -> Box<Status> {
    let why =
        format!("error trying to reach service: dial tcp {address}: connect: connection refused");
    Status::service_unavailable(why).into()
}

/// Whether a pod has the container that is meant.
fn container_of(pod: Value<'_>, name: &str, container: &str) -> Result<(), Box<Status>> {
    let names = |list: &str| -> Vec<&str> {
        let items = pod.pointer("/spec").and_then(|spec| spec.get(list));
        let items = items.into_iter().flat_map(Value::items);
        items.filter_map(|it| it.get("name")?.as_str()).collect()
    };
    let (own, first, more) =
        (names("containers"), names("initContainers"), names("ephemeralContainers"));
    if container.is_empty() {
        if own.len() == 1 {
            return Ok(());
        }
        let mut why = format!(
            "a container name must be specified for pod {name}, choose one of: [{}]",
            own.join(" ")
        );
        if !first.is_empty() {
            let _ = write!(why, " or one of the init containers: [{}]", first.join(" "));
        }
        return Err(Status::bad_request(why).into());
    }
    if [own, first, more].concat().contains(&container) {
        return Ok(());
    }
    Err(Status::bad_request(format!("container {container} is not valid for pod {name}")).into())
}
