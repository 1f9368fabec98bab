//! What holds for all objects: patches that were computed, and applies.

use crdkit_patch::managed::{
    CLIENT_SIDE_MANAGER, CrdVersions, Writer, extract_applied, upgrade_to_apply,
};
use crdkit_patch::{Definitions, PatchLimits, Schema, diff, json, merge, strategic};
use crdkit_schema::compile::CompiledCrd;
use crdkit_schema::read;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Value};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use std::sync::LazyLock;

fn document(text: &str) -> Document {
    let options = crdkit_codec::DecodeOptions::default();
    crdkit_codec::json::decode(text.as_bytes(), &options).expect("JSON").document
}

fn object(members: &[(String, String)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// JSON text of any value.
fn any_value(with_nulls: bool) -> impl Strategy<Value = String> {
    let null = if with_nulls { "null" } else { "\"\"" };
    let leaf = prop_oneof![
        Just(null.to_owned()),
        Just("true".to_owned()),
        (0..4_i64).prop_map(|it| it.to_string()),
        "[a-c~/]{0,2}".prop_map(|it| format!("{it:?}")),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            btree_map("[a-c~/]{1,2}", inner, 0..5)
                .prop_map(|members| object(&members.into_iter().collect::<Vec<_>>())),
        ]
    })
}

fn any_object(with_nulls: bool) -> impl Strategy<Value = Document> {
    btree_map("[a-c~/]{1,2}", any_value(with_nulls), 0..5)
        .prop_map(|members| document(&object(&members.into_iter().collect::<Vec<_>>())))
}

/// A Deployment with lists of every kind.
fn any_deployment() -> impl Strategy<Value = Document> {
    let env = btree_map("[A-C]", "[x-z]", 0..3)
        .prop_shuffle_items(|name, value| format!(r#"{{"name":{name:?},"value":{value:?}}}"#));
    let containers = btree_map("[a-d]", (option::of("[x-z]"), env, vec("[p-q]", 0..3)), 0..4)
        .prop_shuffle_items(|name, (image, env, args)| {
            let image = image.map(|it| format!(r#","image":{it:?}"#)).unwrap_or_default();
            let args: Vec<String> = args.iter().map(|it| format!("{it:?}")).collect();
            format!(r#"{{"name":{name:?}{image},"env":[{env}],"args":[{}]}}"#, args.join(","))
        });
    let finalizers = btree_set("[a-d]", 0..4).prop_map(|set| set.into_iter().collect::<Vec<_>>());
    let labels = btree_map("[a-c]", "[x-z]", 0..3);
    (option::of(0..3_i64), containers, finalizers.prop_shuffle(), labels, any::<bool>()).prop_map(
        |(replicas, containers, finalizers, labels, rolling)| {
            let quoted: Vec<String> = finalizers.iter().map(|it| format!("{it:?}")).collect();
            let labels: Vec<(String, String)> =
                labels.into_iter().map(|(key, it)| (key, format!("{it:?}"))).collect();
            let replicas = replicas.map(|it| format!(r#""replicas":{it},"#)).unwrap_or_default();
            let strategy = if rolling {
                r#"{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}"#
            } else {
                r#"{"type":"Recreate"}"#
            };
            document(&format!(
                r#"{{"metadata":{{"finalizers":[{}],"labels":{}}},"spec":{{{replicas}"strategy":{strategy},"template":{{"spec":{{"containers":[{containers}]}}}}}}}}"#,
                quoted.join(","),
                object(&labels),
            ))
        },
    )
}

/// Maps whose entries become items of a list, in any order.
trait ShuffleItems<V>: Strategy {
    fn prop_shuffle_items(
        self,
        item: impl Fn(String, V) -> String + Clone + 'static,
    ) -> BoxedStrategy<String>;
}

impl<V, S> ShuffleItems<V> for S
where
    V: std::fmt::Debug + Clone + 'static,
    S: Strategy<Value = std::collections::BTreeMap<String, V>> + 'static,
{
    fn prop_shuffle_items(
        self,
        item: impl Fn(String, V) -> String + Clone + 'static,
    ) -> BoxedStrategy<String> {
        self.prop_map(|map| map.into_iter().collect::<Vec<_>>())
            .prop_shuffle()
            .prop_map(move |items| {
                let items: Vec<String> =
                    items.into_iter().map(|(key, value)| item(key, value)).collect();
                items.join(",")
            })
            .boxed()
    }
}

static CRD: LazyLock<CompiledCrd> = LazyLock::new(|| {
    let crd = document(
        r#"{"spec":{"group":"g.io","scope":"Cluster","names":{"kind":"Widget","plural":"widgets"},
        "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
          "spec":{"type":"object","properties":{
            "size":{"type":"integer"},
            "opts":{"type":"object","additionalProperties":{"type":"string"}},
            "tags":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
            "args":{"type":"array","items":{"type":"string"}},
            "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
              "items":{"type":"object","properties":{"name":{"type":"string"},"port":{"type":"integer"}}}},
            "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true}
          }}}}}}]}}"#,
    );
    let (crd, issues) = read::crd(crd.root());
    assert!(issues.is_empty(), "{issues:?}");
    crd.compile()
});

/// What somebody wants of a Widget. Names begin with `who`, so that two of them want different things.
fn any_config(who: &'static str) -> impl Strategy<Value = Document> {
    let map = |values: &'static str| btree_map("[a-c]", values, 0..3);
    let entries = move |map: std::collections::BTreeMap<String, String>| {
        let named = map.into_iter().map(|(key, it)| (format!("{who}{key}"), format!("{it:?}")));
        object(&named.collect::<Vec<_>>())
    };
    (map("[x-z]"), btree_set("[a-d]", 0..4), btree_map("[a-c]", 0..5_i64, 0..3), map("[x-z]"))
        .prop_map(move |(opts, tags, ports, free)| {
            let tags: Vec<String> = tags.iter().map(|it| format!("\"{who}{it}\"")).collect();
            let ports: Vec<String> = ports
                .iter()
                .map(|(name, port)| format!(r#"{{"name":"{who}{name}","port":{port}}}"#))
                .collect();
            document(&format!(
                r#"{{"apiVersion":"g.io/v1","kind":"Widget","metadata":{{"name":"a"}},"spec":{{"opts":{},"tags":[{}],"ports":[{}],"free":{}}}}}"#,
                entries(opts),
                tags.join(","),
                ports.join(","),
                entries(free),
            ))
        })
}

fn apply(manager: &str, second: i64, live: Option<&Document>, config: &Document) -> Document {
    let versions = CrdVersions(&CRD);
    let writer = Writer {
        manager,
        api_version: "g.io/v1",
        subresource: "",
        time: Timestamp { seconds: second, nanoseconds: 0, offset: 0 },
        reset: &[],
        versions: &versions,
    };
    writer.apply("Widget", live, config, false).expect("no conflict").document
}

/// What `kubectl apply` wrote on the client's side is removed by `kubectl apply --server-side` when it is not applied any more.
#[test]
fn client_side_apply_becomes_server_side_apply() {
    let config = |spec: &str| {
        document(&format!(
            r#"{{"apiVersion":"g.io/v1","kind":"Widget","metadata":{{"name":"a"}},"spec":{spec}}}"#
        ))
    };
    let versions = CrdVersions(&CRD);
    let writer = Writer {
        manager: CLIENT_SIDE_MANAGER,
        api_version: "g.io/v1",
        subresource: "",
        time: Timestamp { seconds: 1, nanoseconds: 0, offset: 0 },
        reset: &[],
        versions: &versions,
    };
    let mut live = config(r#"{"opts":{"a":"x","b":"y"}}"#);
    writer.update(None, &mut live);
    let kept = apply("kubectl", 2, Some(&live), &config(r#"{"opts":{"a":"x"}}"#));
    assert_eq!(kept.root().pointer("/spec/opts").map(|it| it.members().len()), Some(2));
    assert_eq!(upgrade_to_apply(&mut live, CLIENT_SIDE_MANAGER, "kubectl", ""), Ok(true));
    assert_eq!(upgrade_to_apply(&mut live, CLIENT_SIDE_MANAGER, "kubectl", ""), Ok(false));
    let left = apply("kubectl", 2, Some(&live), &config(r#"{"opts":{"a":"x"}}"#));
    assert_eq!(left.root().pointer("/spec/opts").map(|it| it.members().len()), Some(1));
}

// An object whose owners are read from their sets, and one where they stand as written, come to the same.
proptest! {
    #[test]
    fn owners_are_the_same_however_they_are_spelled(
        one in any_config("a"), two in any_config("b"), three in any_config("a"),
    ) {
        let both = apply("two", 2, Some(&apply("one", 1, None, &one)), &two);
        // A key with a blank in it is read and not left as it is written.
        let respelled = |object: &Document, from: &str, to: &str| {
            let text = crdkit_codec::json::text(object.root(), crdkit_codec::json::Layout::Compact);
            document(&text.replace(from, to))
        };
        let (plain, blank) = (r#"k:{\"name\":"#, r#"k:{\"name\": "#);
        let spelled = respelled(&both, plain, blank);
        for manager in ["one", "two", "three"] {
            let wanted = force(manager, 3, &both, &three);
            let found = force(manager, 3, &spelled, &three);
            prop_assert_eq!(respelled(&found, blank, plain), wanted);
        }
    }
}

fn force(manager: &str, second: i64, live: &Document, config: &Document) -> Document {
    let versions = CrdVersions(&CRD);
    let writer = Writer {
        manager,
        api_version: "g.io/v1",
        subresource: "",
        time: Timestamp { seconds: second, nanoseconds: 0, offset: 0 },
        reset: &[],
        versions: &versions,
    };
    writer.apply("Widget", Some(live), config, true).expect("forced").document
}

proptest! {
    #[test]
    fn a_json_patch_makes_the_new_object(old in any_object(true), new in any_object(true)) {
        let patch = diff::json(old.root(), new.root());
        let patch = json::JsonPatch::from_document(patch, &PatchLimits::default()).expect("a patch");
        let mut patched = old;
        patch.apply(&mut patched).expect("applies");
        prop_assert_eq!(patched, new);
    }

    #[test]
    fn a_merge_patch_makes_the_new_object(old in any_object(false), new in any_object(false)) {
        let patch = diff::merge(old.root(), new.root());
        let mut patched = old;
        merge::apply(&mut patched, patch.root());
        prop_assert_eq!(patched, new);
    }

    #[test]
    fn a_strategic_patch_makes_the_new_object(old in any_deployment(), new in any_deployment()) {
        let schema = Schema::of_kind(Definitions::native(), "apps/v1", "Deployment").expect("known");
        let patch = diff::strategic(&schema, old.root(), new.root());
        let mut patched = old;
        strategic::apply(&mut patched, patch.root(), &schema).expect("applies");
        prop_assert_eq!(patched, new, "by {}", patch);
    }

    #[test]
    fn three_ways_keep_what_others_added(old in any_object(false), new in any_object(false)) {
        let mut current = old.clone();
        current.insert(current.root().id(), "others", 1);
        let patch = diff::merge_three_way(old.root(), current.root(), new.root());
        merge::apply(&mut current, patch.root());
        let wanted = new.with("others", 1);
        prop_assert_eq!(current, wanted);
    }

    #[test]
    fn three_ways_keep_what_others_added_to_lists(old in any_deployment(), new in any_deployment()) {
        let schema = Schema::of_kind(Definitions::native(), "apps/v1", "Deployment").expect("known");
        let mut current = old.clone();
        let id = |object: &Document, at: &str| object.root().pointer(at).expect("there").id();
        let containers = id(&current, "/spec/template/spec/containers");
        current.push(containers, &document(r#"{"name":"other","image":"o"}"#));
        let finalizers = id(&current, "/metadata/finalizers");
        current.push(finalizers, "other");
        let labels = id(&current, "/metadata/labels");
        current.insert(labels, "other", "o");
        let patch = diff::strategic_three_way(&schema, old.root(), current.root(), new.root());
        strategic::apply(&mut current, patch.root(), &schema).expect("applies");
        let is_other = |value: &Value<'_>| {
            value.as_str() == Some("other") || value.get("name").and_then(Value::as_str) == Some("other")
        };
        for list in ["/spec/template/spec/containers", "/metadata/finalizers"] {
            let items = current.root().pointer(list).expect("a list").items();
            let others: Vec<_> = items.filter(is_other).map(Value::id).collect();
            prop_assert_eq!(others.len(), 1, "by {}", patch);
            for id in others {
                current.remove(id);
            }
        }
        let label = id(&current, "/metadata/labels/other");
        current.remove(label);
        prop_assert_eq!(current, new, "by {}", patch);
    }

    #[test]
    fn the_same_again_changes_nothing(config in any_config("a"), other in any_config("b")) {
        let first = apply("one", 1, None, &config);
        let both = apply("two", 2, Some(&first), &other);
        prop_assert_eq!(&apply("two", 3, Some(&both), &other), &both);
        prop_assert_eq!(&apply("one", 3, Some(&both), &config), &both);
    }

    #[test]
    fn what_is_extracted_is_applied_without_a_change(one in any_config("a"), two in any_config("b")) {
        let both = apply("two", 2, Some(&apply("one", 1, None, &one)), &two);
        let schema = Schema::new(CRD.table(), CRD.versions()[0].schema, false);
        let own = extract_applied(&schema, &both, "one", "").expect("applied");
        prop_assert_eq!(&apply("one", 3, Some(&both), &own), &both);
    }

    #[test]
    fn the_order_of_strangers_does_not_matter(one in any_config("a"), two in any_config("b")) {
        let left = apply("two", 1, Some(&apply("one", 1, None, &one)), &two);
        let right = apply("one", 1, Some(&apply("two", 1, None, &two)), &one);
        let sorted = |object: &Document| {
            let parts = ["/spec/opts", "/spec/free", "/spec/tags", "/spec/ports"];
            parts.map(|part| {
                let value = object.root().pointer(part)?;
                let mut items: Vec<Document> = value.items().map(Document::copy_of).collect();
                items.sort_by(|left, right| left.root().cmp(&right.root()));
                Some((value.as_object().map(|_| Document::copy_of(value)), items))
            })
        };
        prop_assert_eq!(sorted(&left), sorted(&right));
        // Who comes second and wants what is there already gets no time.
        let managers = |object: &Document| {
            let list = object.root().pointer("/metadata/managedFields").expect("managers");
            let entry = |item: Value<'_>| {
                let text = |key| item.get(key).map(|it| it.to_string());
                (text("manager"), text("fieldsV1"))
            };
            list.items().map(entry).collect::<std::collections::BTreeSet<_>>()
        };
        prop_assert_eq!(managers(&left), managers(&right));
    }

    #[test]
    fn giving_everything_up_removes_it(one in any_config("a"), two in any_config("b")) {
        let alone = apply("two", 1, None, &two);
        let both = apply("one", 2, Some(&alone), &one);
        let nothing = document(r#"{"apiVersion":"g.io/v1","kind":"Widget","metadata":{"name":"a"}}"#);
        let left = apply("one", 3, Some(&both), &nothing);
        for list in ["/spec/opts", "/spec/tags", "/spec/ports"] {
            let of = |object: &Document| object.root().pointer(list).map(Document::copy_of);
            let is_empty = |it: &Document| it.root().members().len() + it.root().items().len() == 0;
            prop_assert_eq!(of(&left).filter(|it| !is_empty(it)), of(&alone).filter(|it| !is_empty(it)));
        }
    }
}
