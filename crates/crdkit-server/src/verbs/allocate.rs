//! What a service gets from the server: an address in the cluster, and ports of nodes.
//!
//! Addresses and ports that other services have are not given out again. What a service brings itself or has already it keeps.

use super::Target;
use crate::configured;
use crate::rules::Rules;
use crdkit_value::{Document, NewValue, NodeId, Value};
use std::collections::HashSet;
use std::net::Ipv4Addr;

/// Addresses of services: the first of them is the server's own.
const ADDRESSES: (u32, u32) = (0x0a00_0002, 0x0a00_fffe);
/// Ports of nodes.
const PORTS: (u16, u16) = (30_000, 32_767);

/// What other services have.
#[derive(Default)]
struct Taken {
    addresses: HashSet<String>,
    ports: HashSet<i64>,
}

impl Target<'_> {
    /// Gives a service that takes the place of `old` what it needs; other objects are left alone.
    pub(crate) fn allocate(&self, old: Option<&Document>, object: &mut Document) {
        let is_service = matches!(&self.served.rules, Rules::Native(kind) if (kind.group, kind.kind) == ("", "Service"));
        if !is_service || self.subresource.is_some() {
            return;
        }
        let Some(spec) = object.root().get("spec").map(Value::id) else { return };
        let text =
            |key: &str| object.value(spec).get(key).and_then(Value::as_str).unwrap_or_default();
        let kind = text("type");
        let before = old.and_then(|old| old.root().get("spec"));
        let has_ports = matches!(kind, "NodePort" | "LoadBalancer")
            && object.value(spec).get("allocateLoadBalancerNodePorts").and_then(Value::as_bool)
                != Some(false);
        let is_checked = kind == "LoadBalancer"
            && text("externalTrafficPolicy") == "Local"
            && object
                .value(spec)
                .get("healthCheckNodePort")
                .and_then(Value::as_i64)
                .unwrap_or_default()
                == 0
            && before
                .and_then(|spec| spec.get("healthCheckNodePort")?.as_i64())
                .unwrap_or_default()
                == 0;
        let had_address =
            before.and_then(|spec| spec.get("clusterIP")?.as_str()).unwrap_or_default();
        let needs_address =
            kind != "ExternalName" && text("clusterIP").is_empty() && had_address.is_empty();
        let without_port = |port: &Value<'_>| {
            port.get("nodePort").and_then(Value::as_i64).unwrap_or_default() == 0
                && !had_port(before, *port)
        };
        let ports = object.value(spec).get("ports").into_iter().flat_map(Value::items);
        let ports: Vec<NodeId> =
            ports.filter(|port| has_ports && without_port(port)).map(Value::id).collect();
        if !needs_address && ports.is_empty() && !is_checked {
            return;
        }
        let mut taken = self.taken();
        if needs_address {
            let address = taken.address(|bound| self.core.environment.below(bound));
            object.insert(spec, "clusterIP", &address);
            if let Some(list) = object.insert(spec, "clusterIPs", NewValue::EmptyArray) {
                object.push(list, &address);
            }
        }
        for port in ports {
            let number = taken.port(|bound| self.core.environment.below(bound));
            object.insert(port, "nodePort", number);
        }
        if is_checked {
            let number = taken.port(|bound| self.core.environment.below(bound));
            object.insert(spec, "healthCheckNodePort", number);
        }
    }

    /// What all services have.
    fn taken(&self) -> Taken {
        let mut taken = Taken::default();
        for service in crate::admission::wait(configured::under(self.core, &self.served, "")) {
            let Some(spec) = service.root().get("spec") else { continue };
            taken
                .addresses
                .extend(spec.get("clusterIP").and_then(Value::as_str).map(str::to_owned));
            taken.ports.extend(spec.get("healthCheckNodePort").and_then(Value::as_i64));
            let ports = spec.get("ports").into_iter().flat_map(Value::items);
            taken.ports.extend(ports.filter_map(|port| port.get("nodePort")?.as_i64()));
        }
        taken
    }
}

/// Whether a service had a port of nodes for the same port, which it keeps.
fn had_port(before: Option<Value<'_>>, port: Value<'_>) -> bool {
    let same = |it: Value<'_>, key: &str| it.get(key) == port.get(key);
    let mut ports = before.and_then(|spec| spec.get("ports")).into_iter().flat_map(Value::items);
    ports.any(|it| {
        let number = it.get("nodePort").and_then(Value::as_i64).unwrap_or_default();
        number != 0 && same(it, "port") && same(it, "protocol")
    })
}

impl Taken {
    /// An address that is free, or any if none is.
    fn address(&self, below: impl Fn(u64) -> u64) -> String {
        let (first, last) = ADDRESSES;
        let start = below(u64::from(last - first));
        let shown = |at: u64| {
            let offset = u32::try_from(at % u64::from(last - first)).unwrap_or_default();
            Ipv4Addr::from(first + offset).to_string()
        };
        let mut all = (start..start + u64::from(last - first)).map(shown);
        all.find(|address| !self.addresses.contains(address)).unwrap_or_else(|| shown(start))
    }

    /// A port that is free, or any if none is; it is taken then.
    fn port(&mut self, below: impl Fn(u64) -> u64) -> i64 {
        let (first, last) = (i64::from(PORTS.0), i64::from(PORTS.1));
        let count = last - first + 1;
        let start = i64::try_from(below(count.unsigned_abs())).unwrap_or_default();
        let mut all = (start..start + count).map(|at| first + at % count);
        let port = all.find(|port| !self.ports.contains(port)).unwrap_or(first + start);
        self.ports.insert(port);
        port
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_not_given_again() {
        let mut taken = Taken::default();
        let first = taken.address(|_| 0);
        assert_eq!(first, "10.0.0.2");
        taken.addresses.insert(first);
        assert_eq!(taken.address(|_| 0), "10.0.0.3");
        assert_eq!(taken.address(|bound| bound - 1), "10.0.255.253");
        let ports: HashSet<i64> = (0..2768).map(|_| taken.port(|_| 2767)).collect();
        assert_eq!(ports.len(), 2768);
        assert!(ports.iter().all(|port| (30_000..=32_767).contains(port)));
    }
}
