//! Names of objects: what each kind allows.

use crate::data::{NameFormat, NativeKind};
use crdkit_issue::{FieldPath, Issue, codes::native};
use crdkit_schema::metadata;
use crdkit_text::ip::Ip;
use crdkit_text::names;

/// What is wrong with a name of an object of `kind`; `prefix` if it is the beginning of one.
pub(crate) fn problems(kind: &NativeKind, name: &str, prefix: bool) -> Vec<String> {
    let mut problems = match kind.name_format {
        NameFormat::Subdomain => metadata::subdomain_problems(name, prefix),
        NameFormat::Label if prefix => names::dns1123_label(&names::mask_trailing_dash(name)),
        NameFormat::Label => names::dns1123_label(name),
        NameFormat::Address => address_problems(name),
        NameFormat::Segment | NameFormat::Composed | NameFormat::Signed => {
            metadata::segment_problems(name, prefix)
        }
    };
    let limit = match kind.name_format {
        NameFormat::Subdomain => 253,
        NameFormat::Label => 63,
        _ => usize::MAX,
    };
    if kind.name_max > 0 && kind.name_max < limit && name.len() > kind.name_max {
        problems.push(format!("must be no more than {} characters", kind.name_max));
    }
    problems
}

/// Finalizers are standard ones, or name a domain.
pub(crate) fn finalizers(finalizers: &[&str], issues: &mut Vec<Issue>) {
    const STANDARD: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];
    let path = FieldPath::root().field("metadata").field("finalizers");
    for (index, finalizer) in finalizers.iter().enumerate() {
        if !finalizer.contains('/') && !STANDARD.contains(finalizer) {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            let issue = Issue::error(native::INVALID);
            let issue = issue.with("text", detail).with("detail", detail).value(*finalizer);
            issues.push(issue.at(path.clone().index(index)));
        }
    }
}

fn address_problems(name: &str) -> Vec<String> {
    match Ip::parse(name) {
        Ok(ip) if ip.to_string() == name => Vec::new(),
        Ok(ip) => vec![format!("must be in canonical form (\"{ip}\")")],
        Err(_) if has_leading_zeros(name) => vec!["must not have leading 0s".to_owned()],
        Err(_) => vec!["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)".to_owned()],
    }
}

/// Whether a text would be an address of four numbers if these did not begin with zeros.
fn has_leading_zeros(name: &str) -> bool {
    let plain: Vec<&str> = name
        .split('.')
        .map(|number| match number.trim_start_matches('0') {
            "" if !number.is_empty() => "0",
            rest => rest,
        })
        .collect();
    Ip::parse(&plain.join(".")).is_ok()
}
