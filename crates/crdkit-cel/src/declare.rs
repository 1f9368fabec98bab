//! Declarations: functions and their overloads.
//!
//! A library lists its overloads as written signatures, `string.split(string, int) -> list(string)`; this module reads
//! them. Capital single letters are type parameters; `Ordered` stands for each type whose values have an order.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ast::Name;
use crate::cost::CostModel;
use crate::eval::Implementation;
use crate::types::Type;

/// One row of a library's table.
#[derive(Clone, Copy)]
pub(crate) struct Definition {
    pub(crate) signature: &'static str,
    pub(crate) cost: CostModel,
    pub(crate) run: Implementation,
}

/// A row of a table.
pub(crate) const fn define(
    signature: &'static str,
    cost: CostModel,
    run: Implementation,
) -> Definition {
    Definition { signature, cost, run }
}

/// Stands in a signature for each of [`ORDERED_TYPES`].
const ORDERED: &str = "Ordered";

const ORDERED_TYPES: [&str; 8] =
    ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];

/// One way to call a function.
#[derive(Clone, Debug)]
pub(crate) struct Overload {
    pub(crate) arguments: Vec<Type>,
    pub(crate) result: Type,
    /// Called on its first argument.
    pub(crate) member: bool,
    /// Names of the type parameters, in the order they first appear.
    pub(crate) parameters: Vec<Name>,
    pub(crate) cost: CostModel,
    pub(crate) run: Implementation,
    /// Compares numbers of different types; can be switched off.
    pub(crate) cross_type: bool,
}

/// The functions of an environment, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Functions {
    by_name: BTreeMap<Name, Vec<Arc<Overload>>>,
}

impl Functions {
    pub(crate) fn declare(&mut self, definitions: &[Definition]) {
        for definition in definitions {
            if !definition.signature.contains(ORDERED) {
                self.add(definition, definition.signature);
                continue;
            }
            for name in ORDERED_TYPES {
                self.add(definition, &definition.signature.replace(ORDERED, name));
            }
        }
    }

    fn add(&mut self, definition: &Definition, signature: &str) {
        let Some((name, overload)) = read_signature(definition, signature) else { return };
        let overloads = self.by_name.entry(name).or_default();
        // The same signature again replaces the earlier one: a newer version of a library.
        let same = overloads
            .iter_mut()
            .find(|other| other.member == overload.member && other.arguments == overload.arguments);
        match same {
            Some(slot) => *slot = Arc::new(overload),
            None => overloads.push(Arc::new(overload)),
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<(&Name, &[Arc<Overload>])> {
        self.by_name.get_key_value(name).map(|(name, overloads)| (name, overloads.as_slice()))
    }

    /// Keeps the functions that `allowed` accepts.
    pub(crate) fn retain(&mut self, allowed: impl Fn(&str) -> bool) {
        self.by_name.retain(|name, _| allowed(name));
    }
}

/// Reads `target.name(arguments) -> result` or `name(arguments) -> result`.
fn read_signature(definition: &Definition, signature: &str) -> Option<(Name, Overload)> {
    let (call, result) = signature.rsplit_once(" -> ")?;
    let open = matching_open(call)?;
    let (head, arguments) = (call.get(..open)?, call.get(open + 1..call.len() - 1)?);
    let mut types = Vec::new();
    // A receiver is a type; a dotted function name such as `sets.contains` starts with a namespace instead.
    let (name, member) = match split_receiver(head) {
        Some((receiver, name)) => {
            types.push(read_type(receiver));
            (name, true)
        }
        None => (head, false),
    };
    types.extend(split_arguments(arguments).into_iter().map(read_type));
    let result = read_type(result);
    let mut parameters = Vec::new();
    types.iter().chain([&result]).for_each(|ty| collect_parameters(ty, &mut parameters));
    let numeric = |ty: &Type| matches!(ty, Type::Int | Type::Uint | Type::Double);
    let cross_type = matches!(types.as_slice(), [a, b] if a != b && numeric(a) && numeric(b));
    let overload = Overload {
        arguments: types,
        result,
        member,
        parameters,
        cost: definition.cost,
        run: definition.run,
        cross_type,
    };
    Some((Name::from(name), overload))
}

/// Index of the parenthesis that the last character closes.
fn matching_open(call: &str) -> Option<usize> {
    let mut depth = 0;
    call.char_indices().rev().find_map(|(index, c)| {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        (depth == 0 && c == '(').then_some(index)
    })
}

/// Namespaces that begin function names.
const NAMESPACES: [&str; 10] =
    ["cel", "strings", "lists", "sets", "math", "base64", "optional", "format", "ip", "jsonpatch"];

fn split_receiver(head: &str) -> Option<(&str, &str)> {
    if head.starts_with('_') || head.contains('@') && !head.contains(").@") {
        return None;
    }
    let (receiver, name) = head.rsplit_once('.')?;
    (!NAMESPACES.contains(&receiver)).then_some((receiver, name))
}

fn split_arguments(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (index, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.extend(text.get(start..index));
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(start..).filter(|last| !last.trim().is_empty()));
    parts
}

fn read_type(text: &str) -> Type {
    let text = text.trim();
    if let Some((name, inner)) = text.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
        let mut parameters = split_arguments(inner).into_iter().map(read_type);
        let first = parameters.next().unwrap_or(Type::Dyn);
        return match name {
            "list" => Type::list(first),
            "map" => Type::map(first, parameters.next().unwrap_or(Type::Dyn)),
            "type" => Type::type_of(first),
            _ => Type::optional(first),
        };
    }
    match text {
        "dyn" => Type::Dyn,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "duration" => Type::Duration,
        "timestamp" => Type::Timestamp,
        "net.IP" | "net.CIDR" => Type::Opaque(text.into(), Arc::from([])),
        parameter if parameter.len() == 1 => Type::Param(parameter.into()),
        object => Type::Struct(object.into()),
    }
}

fn collect_parameters(ty: &Type, out: &mut Vec<Name>) {
    match ty {
        Type::Param(name) if !out.contains(name) => {
            out.push(Name::clone(name));
        }
        Type::List(inner) | Type::Type(Some(inner)) | Type::Wrapper(inner) => {
            collect_parameters(inner, out);
        }
        Type::Map(types) => {
            collect_parameters(&types.0, out);
            collect_parameters(&types.1, out);
        }
        Type::Opaque(_, parameters) => {
            parameters.iter().for_each(|inner| collect_parameters(inner, out));
        }
        _ => {}
    }
}
