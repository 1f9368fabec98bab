//! Lists of resources: quantities by name, and what whole pods ask for.

use crdkit_text::quantity::Quantity;
use crdkit_value::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Quantities by the name of a resource.
pub(super) type ResourceList = BTreeMap<String, Quantity>;

/// The quantities in `value`; what is no quantity is left out.
pub(super) fn read(value: Option<Value<'_>>) -> ResourceList {
    let members = value.into_iter().flat_map(Value::members);
    let read = |(name, value): (&str, Value<'_>)| {
        let text = value
            .as_str()
            .map_or_else(|| value.as_i64().map(|it| it.to_string()), |it| Some(it.to_owned()));
        Some((name.to_owned(), Quantity::parse(&text?).ok()?))
    };
    members.filter_map(read).collect()
}

/// Adds what `more` has.
pub(super) fn add(list: &mut ResourceList, more: &ResourceList) {
    for (name, quantity) in more {
        let sum = list.get(name).and_then(|it| it.checked_add(quantity));
        list.insert(name.clone(), sum.unwrap_or_else(|| quantity.clone()));
    }
}

/// Raises what `other` has more of.
fn raise(list: &mut ResourceList, other: &ResourceList) {
    for (name, quantity) in other {
        if list.get(name).is_none_or(|it| it < quantity) {
            list.insert(name.clone(), quantity.clone());
        }
    }
}

/// Whether something is asked for.
pub(super) fn is_zero(quantity: &Quantity) -> bool {
    quantity.sign() == Ordering::Equal
}

/// `name=quantity` for each, separated by commas.
pub(super) fn show(list: &ResourceList) -> String {
    list.iter().map(|(name, quantity)| format!("{name}={quantity}")).collect::<Vec<_>>().join(",")
}

/// Requests or limits of a container.
pub(super) fn of_container(container: Value<'_>, which: &str) -> ResourceList {
    read(container.get("resources").and_then(|it| it.get(which)))
}

/// Requests or limits of a whole pod: those of its containers together, or of those that start first if they are
/// more, or what the pod itself says.
pub(super) fn of_pod(spec: Value<'_>, which: &str) -> ResourceList {
    let containers = |key: &str| spec.get(key).into_iter().flat_map(Value::items);
    let mut sum = ResourceList::new();
    for container in containers("containers") {
        add(&mut sum, &of_container(container, which));
    }
    // Those that keep running count beside the others, and beside those that start after them.
    let (mut running, mut starting) = (ResourceList::new(), ResourceList::new());
    for container in containers("initContainers") {
        let mut own = of_container(container, which);
        if container.get("restartPolicy").and_then(Value::as_str) == Some("Always") {
            add(&mut sum, &own);
            add(&mut running, &own);
            own.clone_from(&running);
        } else {
            add(&mut own, &running);
        }
        raise(&mut starting, &own);
    }
    raise(&mut sum, &starting);
    let whole = read(spec.get("resources").and_then(|it| it.get(which)));
    let is_known = |name: &str| matches!(name, "cpu" | "memory") || name.starts_with("hugepages-");
    sum.extend(whole.into_iter().filter(|(name, _)| is_known(name)));
    sum
}
