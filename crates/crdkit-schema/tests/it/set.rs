//! Sets of CRDs: what finds a CRD, how snapshots follow one another, and what is compiled when.

use crate::support::decode;
use crdkit_schema::compile::{Conversion, Flags, Id, PrinterColumn, Table};
use crdkit_schema::set::{CrdDefinition, CrdSet, LoadProblem, ResourcePath, SharedCrdSet};
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};
use crdkit_value::{Document, Value};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::sync::Arc;

fn crd(group: &str, kind: &str, plural: &str, more: &str) -> Document {
    let text = format!(
        "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.{group}}}
spec:
  group: {group}
  scope: {scope}
  names: {{kind: {kind}, plural: {plural}{more}}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            default: {{}}
            properties:
              {kind}: {{type: string, default: x, maxLength: 3}}
              common: {{type: array, items: {{type: integer}}, x-kubernetes-list-type: set}}
  - {{name: v1alpha1, served: false, storage: false, schema: {{openAPIV3Schema: {{type: object}}}}}}
",
        scope = if kind == "Room" { "Cluster" } else { "Namespaced" },
    );
    decode(&text).document
}

fn house() -> CrdSet {
    let (set, notes) = CrdSet::load([
        crd("home.io", "Lamp", "lamps", ", singular: lamp, shortNames: [lp], categories: [all]"),
        crd("home.io", "Room", "rooms", ", categories: [all, Places]"),
        crd("ship.io", "Lamp", "lamps", ", shortNames: [sl]"),
    ]);
    assert_eq!(notes, []);
    set
}

#[test]
fn a_crd_is_found_by_what_people_write() {
    let set = house();
    for (text, expected) in [
        ("Room", "rooms.home.io"),
        ("room", "rooms.home.io"),
        ("ROOMS", "rooms.home.io"),
        ("rooms.spec.door", "rooms.home.io spec.door"),
        ("room[0].x", "rooms.home.io [0].x"),
        ("room.home.io", "rooms.home.io"),
        ("room.home.io.spec", "rooms.home.io .spec"),
        ("lp", "lamps.home.io"),
        ("SL.spec", "lamps.ship.io spec"),
        ("lamps.ship.io", "lamps.ship.io"),
        ("Lamp.Home.IO", "lamps.home.io"),
        ("lamp", "`lamp` is the name of several kinds: write `lamps.home.io` or `lamps.ship.io`"),
        ("lmap", "there is no kind `lmap`; did you mean `Lamp` or `lamps` or `lp`?"),
        ("zzzzz", "there is no kind `zzzzz`; the kinds are Lamp, Room"),
        ("", "there is no kind ``; the kinds are Lamp, Room"),
    ] {
        let found = match set.find(text) {
            Ok((definition, "")) => definition.name().to_owned(),
            Ok((definition, rest)) => format!("{} {rest}", definition.name()),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    }
    let category =
        |name| set.in_category(name).map(|it| it.name().to_owned()).collect::<Vec<_>>().join(" ");
    assert_eq!(category("all"), "lamps.home.io rooms.home.io");
    assert_eq!(category("places"), "rooms.home.io");
    assert_eq!(category("none"), "");
}

#[test]
fn a_crd_is_found_by_kind_name_and_resource() {
    let set = house();
    let name = |found: Option<&Arc<CrdDefinition>>| found.map_or("", |it| it.name()).to_owned();
    for (version, kind, expected) in [
        ("home.io/v1", "Lamp", "lamps.home.io"),
        ("ship.io/v1", "Lamp", "lamps.ship.io"),
        ("ship.io/v1", "Room", ""),
        ("home.io/v1alpha1", "Lamp", ""),
        ("home.io/v1", "lamp", ""),
        ("v1", "Lamp", ""),
    ] {
        let kind = GroupVersionKind::of(version, kind);
        assert_eq!(name(set.by_version(&kind)), expected, "{kind}");
        let [group, version] = [kind.group.clone(), kind.version.clone()];
        let resource = format!("{}s", kind.kind.to_lowercase());
        let resource = GroupVersionResource { group, version, resource };
        if kind.kind != "lamp" {
            assert_eq!(name(set.by_resource(&resource)), expected, "{resource}");
        }
    }
    assert_eq!(name(set.by_kind("home.io", "Room")), "rooms.home.io");
    for (written, expected) in
        [("lamps.ship.io", "lamps.ship.io"), ("lamp.ship.io", ""), ("lamps", ""), ("", "")]
    {
        assert_eq!(name(set.by_name(written)), expected, "{written}");
    }
}

#[test]
fn a_crd_is_found_by_path() {
    let set = house();
    for (path, expected) in [
        ("/apis/home.io/v1/lamps", "lamps.home.io"),
        ("/apis/home.io/v1/namespaces/x/lamps", "lamps.home.io in x"),
        ("/apis/home.io/v1/namespaces/x/lamps/desk", "lamps.home.io in x: desk"),
        ("/apis/home.io/v1/namespaces/x/lamps/desk/status", "lamps.home.io in x: desk status"),
        ("/apis/home.io/v1/rooms/attic", "rooms.home.io: attic"),
        ("/apis/home.io/v1/rooms/attic/scale", "rooms.home.io: attic scale"),
        ("/apis/home.io/v1/rooms/", "rooms.home.io"),
        // Objects of this kind are in namespaces, those of the other are not.
        ("/apis/home.io/v1/lamps/desk", ""),
        ("/apis/home.io/v1/namespaces/x/rooms", ""),
        ("/apis/home.io/v1alpha1/lamps", ""),
        ("/apis/home.io/v1/lamps/", "lamps.home.io"),
        ("/apis/home.io/v1/namespaces/x/lamps/desk/status/more", ""),
        ("/apis/home.io/v1/namespaces//lamps", ""),
        ("/apis/home.io/v1", ""),
        ("/apis/home.io", ""),
        ("/api/v1/namespaces/x/lamps", ""),
        ("", ""),
    ] {
        let mut found = String::new();
        if let Some((definition, path)) = set.by_path(path) {
            found.push_str(definition.name());
            path.namespace.iter().for_each(|it| found.extend([" in ", it]));
            path.name.iter().for_each(|it| found.extend([": ", it]));
            path.subresource.iter().for_each(|it| found.extend([" ", it]));
        }
        assert_eq!(found, expected, "{path}");
    }
    for path in [
        "/api/v1/namespaces/x",
        "/api/v1/namespaces/x/status",
        "/api/v1/namespaces/x/pods/y/log",
        "/apis/home.io/v1/rooms",
    ] {
        assert_eq!(ResourcePath::parse(path).map(|it| it.to_string()).as_deref(), Some(path));
    }
    let namespace = ResourcePath::parse("/api/v1/namespaces/x/status").expect("a path");
    let parts = (namespace.namespace, namespace.plural, namespace.name, namespace.subresource);
    assert_eq!(parts, (None, "namespaces", Some("x"), Some("status")));
}

#[test]
fn loading_says_what_does_not_count() {
    let other = decode("{apiVersion: v1, kind: Pod}").document;
    let list = decode("[]").document;
    let twice = || crd("home.io", "Lamp", "lamps", "");
    let (set, notes) = CrdSet::load([twice(), other, list, crd("home.io", "Lamp", "lights", "")]);
    let problems: Vec<_> = notes.into_iter().map(|note| (note.document, note.problem)).collect();
    assert_eq!(
        problems,
        [
            (1, LoadProblem::NotCrd(GroupVersionKind::of("v1", "Pod"))),
            (2, LoadProblem::NotCrd(GroupVersionKind::default())),
            (3, LoadProblem::Repeated),
        ]
    );
    assert_eq!(names(&set), ["lights.home.io"]);
    assert!(set.by_name("lamps.home.io").is_none());
}

#[test]
fn what_cannot_be_compiled_says_why_and_leaves_others_alone() {
    let mut schema = "type: object".to_owned();
    for _ in 0..300 {
        schema = format!("properties: {{a: {{{schema}}}}}");
    }
    let deep = format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {{group: deep.io, \
         names: {{kind: Deep, plural: deeps}}, versions: [{{name: v1, served: true, storage: true, \
         schema: {{openAPIV3Schema: {{{schema}}}}}}}]}}}}"
    );
    for at_once in [false, true] {
        let (set, _) = CrdSet::load([decode(&deep).document, crd("home.io", "Lamp", "lamps", "")]);
        if at_once {
            set.compile();
        }
        let compiled = |name| set.by_name(name).expect("a CRD").compiled();
        assert!(compiled("deeps.deep.io").is_err_and(|issues| !issues.is_empty()));
        assert!(compiled("lamps.home.io").is_ok());
    }
}

#[test]
fn snapshots_share_what_stays() {
    let old = house();
    let shared = SharedCrdSet::new(old.clone());
    let lamp = old.by_name("lamps.home.io").expect("a CRD").compiled().expect("compiles");
    shared.update(|set| {
        set.without("lamps.ship.io").with(CrdDefinition::new(crd("ship.io", "Mast", "masts", "")))
    });
    let new = shared.get();
    assert_eq!(names(&old), ["lamps.home.io", "rooms.home.io", "lamps.ship.io"]);
    assert_eq!(names(&new), ["lamps.home.io", "rooms.home.io", "masts.ship.io"]);
    let same = new.by_name("lamps.home.io").expect("a CRD").compiled().expect("compiles");
    assert!(std::ptr::eq(lamp, same));
    shared.set(CrdSet::default());
    assert!(shared.get().is_empty() && !new.is_empty());
}

#[test]
fn sets_go_anywhere() {
    fn check<T: Send + Sync + 'static>() {}
    check::<CrdSet>();
    check::<SharedCrdSet>();
    check::<CrdDefinition>();
}

#[test]
fn compiling_at_once_and_when_needed_is_the_same() {
    let (lazy, eager) = (house(), house());
    eager.compile();
    let mut tables = Vec::new();
    for (one, other) in lazy.iter().zip(eager.iter()) {
        let (one, other) = (one.compiled().expect("compiles"), other.compiled().expect("compiles"));
        tables.push(std::ptr::from_ref(other.table()));
        assert_eq!(one.names(), other.names());
        assert_eq!(one.conversion(), other.conversion());
        for (left, right) in one.versions().iter().zip(other.versions()) {
            let facts = |it: &crdkit_schema::compile::CompiledVersion| {
                (it.api_version.clone(), it.served, it.storage, it.status, it.scale.clone())
            };
            assert_eq!(facts(left), facts(right));
            assert!(one.columns(left).eq(other.columns(right)));
            assert_eq!(shape(one.table(), left.schema), shape(other.table(), right.schema));
        }
    }
    assert!(tables.windows(2).all(|pair| matches!(pair, [one, other] if one == other)));
    let made_of_compiled = CrdDefinition::from(
        lazy.iter().next().expect("a CRD").compiled().expect("compiles").clone(),
    );
    assert_eq!(made_of_compiled.name(), "lamps.home.io");
    assert!(made_of_compiled.compiled().is_ok() && made_of_compiled.serves("v1"));
    assert!(made_of_compiled.document().is_none());
}

#[test]
fn a_compiled_crd_keeps_what_a_server_serves() {
    let document = decode(
        "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: home.io
  scope: Namespaced
  names: {kind: Lamp, plural: lamps, shortNames: [lp, l], categories: [all]}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1, v1beta1]
      clientConfig:
        caBundle: aGVsbG8=
        service: {namespace: x, name: hook, path: /z}
  versions:
  - name: v1
    served: true
    storage: true
    selectableFields: [{jsonPath: .spec.color}]
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color, description: Its colour, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-map-type: atomic
            properties: {color: {type: string}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
",
    );
    let definition = CrdDefinition::new(document.document);
    let crd = definition.compiled().expect("compiles");
    assert_eq!(crd.names(), definition.names());
    let names = crd.names();
    let [singular, list_kind] = [&names.singular, &names.list_kind].map(|it| &**it);
    assert_eq!((singular, list_kind), ("lamp", "LampList"));
    assert_eq!(names.short_names.join(" "), "lp l");
    assert_eq!(names.categories.join(" "), "all");
    let Conversion::Webhook(webhook) = crd.conversion() else { panic!("{:?}", crd.conversion()) };
    assert_eq!(&*webhook.ca_bundle, b"hello");
    assert_eq!(webhook.review_versions.join(" "), "v1 v1beta1");
    let service = webhook.service.as_ref().expect("a service");
    assert_eq!(
        (&*service.namespace, &*service.name, service.path.as_deref(), service.port),
        ("x", "hook", Some("/z"), 443)
    );
    let (one, two) = (crd.version("v1").expect("v1"), crd.version("v2").expect("v2"));
    assert_eq!(one.selectable_fields.join(" "), ".spec.color");
    assert!(two.selectable_fields.is_empty());
    let columns: Vec<_> = crd.columns(one).collect();
    let color = PrinterColumn {
        name: "Color",
        type_name: "string",
        format: "",
        description: "Its colour",
        priority: 1,
        json_path: ".spec.color",
    };
    assert_eq!(columns, [color]);
    assert_eq!(crd.columns(two).collect::<Vec<_>>(), [PrinterColumn::AGE]);
    let table = crd.table();
    let root = table.node(one.schema.expect("a schema"));
    let spec = root.fields.iter().find(|(name, _)| table.name(*name) == "spec").expect("spec").1;
    assert!(table.node(spec).has(Flags::ATOMIC_MAP) && !root.has(Flags::ATOMIC_MAP));
    assert_eq!(crd.kind_in(two).to_string(), "home.io/v2, Kind=Lamp");
}

/// A schema as text that is the same in every table.
fn shape(table: &Table, id: Option<Id>) -> String {
    let Some(id) = id else { return "none".into() };
    let node = table.node(id);
    let mut out = format!("{:?} {:?} {:?}", node.types, node.list_type, node.bounds());
    for (name, child) in node.fields.iter() {
        let _ = write!(out, " {}: {{{}}}", table.name(name), shape(table, Some(child)));
    }
    let default = node.default.and_then(|id| table.default_value(id));
    let _ =
        write!(out, " items {} default {:?}", shape(table, node.items), default.map(Value::kind));
    out
}

fn names(set: &CrdSet) -> Vec<&str> {
    set.iter().map(|it| it.name()).collect()
}

proptest! {
    /// A set that came about step by step finds what one made at once finds.
    #[test]
    fn steps_lead_where_building_from_scratch_does(
        steps in prop::collection::vec((any::<bool>(), 0..3_usize, 0..3_usize, 0..3_usize), 0..12),
    ) {
        let groups = ["a.io", "b.io", "c.io"];
        let kinds = ["Lamp", "Room", "Door"];
        let plurals = ["lamps", "rooms", "doors"];
        let mut set = CrdSet::default();
        let mut kept: Vec<(usize, usize, usize)> = Vec::new();
        for (adds, group, kind, plural) in steps {
            if adds {
                let document = crd(groups[group], kinds[kind], plurals[plural], "");
                set = set.with(CrdDefinition::new(document));
                match kept.iter_mut().find(|it| (it.0, it.1) == (group, kind)) {
                    Some(known) => known.2 = plural,
                    None => kept.push((group, kind, plural)),
                }
            } else {
                set = set.without(&format!("{}.{}", plurals[plural], groups[group]));
                kept.retain(|it| (it.0, it.2) != (group, plural));
            }
        }
        let made = |&(group, kind, plural): &(usize, usize, usize)| {
            crd(groups[group], kinds[kind], plurals[plural], "")
        };
        let (scratch, notes) = CrdSet::load(kept.iter().map(made));
        prop_assert_eq!(notes, []);
        prop_assert_eq!(names(&set), names(&scratch));
        for group in groups {
            let name = |found: Option<&Arc<CrdDefinition>>| {
                found.map(|it| (it.kind().to_owned(), it.name().to_owned()))
            };
            for (kind, plural) in kinds.iter().zip(plurals) {
                prop_assert_eq!(name(set.by_kind(group, kind)), name(scratch.by_kind(group, kind)));
                let called = format!("{plural}.{group}");
                prop_assert_eq!(name(set.by_name(&called)), name(scratch.by_name(&called)));
            }
        }
    }
}
