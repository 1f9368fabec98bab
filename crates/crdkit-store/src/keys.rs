//! Keys as Kubernetes lays them out, so that what one server wrote another finds.

/// Where objects are: `ROOT/GROUP/PLURAL/[NAMESPACE/]NAME` for custom resources, without the group for built-in ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyLayout {
    root: String,
}

impl Default for KeyLayout {
    fn default() -> Self {
        KeyLayout::new("/registry")
    }
}

impl KeyLayout {
    /// Everything below a root such as `/registry`, with or without a slash at its end.
    pub fn new(root: &str) -> KeyLayout {
        KeyLayout { root: root.trim_end_matches('/').to_owned() }
    }

    /// The prefix of everything.
    pub fn everything(&self) -> String {
        format!("{}/", self.root)
    }

    /// The prefix of all objects of a resource, or of those in one namespace. The group is empty for built-in resources
    /// that are stored without one.
    pub fn collection(&self, group: &str, plural: &str, namespace: Option<&str>) -> String {
        let mut key = self.everything();
        for segment in [group, plural, namespace.unwrap_or_default()] {
            if !segment.is_empty() {
                key.push_str(segment);
                key.push('/');
            }
        }
        key
    }

    /// The key of one object.
    pub fn object(&self, group: &str, plural: &str, namespace: Option<&str>, name: &str) -> String {
        self.collection(group, plural, namespace) + name
    }
}

/// The first key after all keys with a prefix, as bytes; none if there is no end.
pub fn prefix_end(prefix: &str) -> Option<Vec<u8>> {
    let mut end = prefix.as_bytes().to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_where_kubernetes_has_them() {
        let layout = KeyLayout::default();
        for (key, expected) in [
            (
                layout.object("example.com", "widgets", Some("default"), "a"),
                "/registry/example.com/widgets/default/a",
            ),
            (layout.object("example.com", "gears", None, "a"), "/registry/example.com/gears/a"),
            (
                layout.object("apiextensions.k8s.io", "customresourcedefinitions", None, "x.y"),
                "/registry/apiextensions.k8s.io/customresourcedefinitions/x.y",
            ),
            (
                layout.object("", "leases", Some("kube-system"), "l"),
                "/registry/leases/kube-system/l",
            ),
            (layout.collection("example.com", "widgets", None), "/registry/example.com/widgets/"),
            (KeyLayout::new("/other/").everything(), "/other/"),
        ] {
            assert_eq!(key, expected);
        }
    }

    #[test]
    fn a_prefix_ends_before_the_next_key() {
        assert_eq!(prefix_end("/a/"), Some(b"/a0".to_vec()));
        assert_eq!(prefix_end(""), None);
    }
}
