//! Presence: what is noted, what is asked, what is left out.
#![expect(clippy::unwrap_used, reason = "tests")]

use crdkit_issue::FieldPath;
use crdkit_value::{Collected, Document, Event, Presence, PresenceFilter, PresenceMap};

fn path(pointer: &str) -> FieldPath {
    pointer.parse().unwrap()
}

/// `{"b": [1, null, {"x": {}}], "a": null, "ab": "", "": {"~/": true}}`.
fn sample() -> Document {
    use Event::{BeginArray, BeginObject, Bool, EndArray, EndObject, Int, Key, Null, String};
    Document::of_events([
        BeginObject,
        Key("b"),
        BeginArray,
        Int(1),
        Null,
        BeginObject,
        Key("x"),
        BeginObject,
        EndObject,
        EndObject,
        EndArray,
        Key("a"),
        Null,
        Key("ab"),
        String(""),
        Key(""),
        BeginObject,
        Key("~/"),
        Bool(true),
        EndObject,
        EndObject,
    ])
}

fn pointers(map: &PresenceMap) -> Vec<String> {
    map.iter().map(|(path, presence)| format!("{} {presence:?}", path.pointer())).collect()
}

fn collect(filter: &PresenceFilter) -> PresenceMap {
    Collected::of(&sample(), filter).into_map()
}

#[test]
fn every_place_of_the_source_is_seen_in_path_order() {
    assert_eq!(
        pointers(&collect(&PresenceFilter::all())),
        [
            " seen",
            "/ seen",
            "//~0~1 seen",
            "/a seen|wasNull",
            "/ab seen",
            "/b seen",
            "/b/0 seen",
            "/b/1 seen|wasNull",
            "/b/2 seen",
            "/b/2/x seen",
        ]
    );
}

// Proves REQ-154, REQ-158.
#[test]
fn a_missing_place_is_not_a_null_one() {
    let map = collect(&PresenceFilter::all());
    assert!(map.at("/a").is_seen() && map.at("/a").was_null());
    assert!(map.at("/c").is_missing() && !map.at("/c").was_null());
    assert!(map.at("").is_seen());
    assert!(map.at("/b/3").is_missing() && map.at("/b/x").is_missing());
    assert_eq!(map.get(&FieldPath::root().key("b").key("2")), Presence::SEEN);
}

#[test]
fn filters_take_whole_steps_and_exclusion_wins() {
    let filter = PresenceFilter::all().include(path("/a"));
    assert_eq!(pointers(&collect(&filter)), [" seen", "/a seen|wasNull"]);
    let filter =
        PresenceFilter::all().include(path("/b/2")).include(path("/ab")).exclude(path("/b/2/x"));
    assert_eq!(pointers(&collect(&filter)), [" seen", "/ab seen", "/b/2 seen"]);
    assert!(collect(&filter).any_seen_under(&path("/b")));
    assert!(!collect(&filter).any_seen_under(&path("/b/2/x")));
    let filter = PresenceFilter::all().exclude(path("/b"));
    assert!(collect(&filter).at("/b").is_missing());
    // Filtering afterwards is the same as filtering while collecting.
    for filter in [
        PresenceFilter::all(),
        PresenceFilter::all().include(path("/b")).exclude(path("/b/1")),
        PresenceFilter::all().include(path("/")),
    ] {
        assert_eq!(collect(&PresenceFilter::all()).filtered(&filter), collect(&filter));
    }
}

#[test]
fn what_is_added_later_is_found_by_path() {
    let mut map = PresenceMap::new();
    map.insert(&path("/spec/z"), Presence::SEEN);
    map.insert(&path("/spec/a"), Presence::DEFAULT_APPLIED);
    map.insert(&path("/spec/a"), Presence::WAS_NULL);
    map.insert(&path("/list/10"), Presence::SEEN);
    map.insert(&path("/list/2"), Presence::SEEN);
    assert_eq!(
        pointers(&map),
        [
            " seen",
            "/list/2 seen",
            "/list/10 seen",
            "/spec/a wasNull|defaultApplied",
            "/spec/z seen"
        ]
    );
    assert!(map.any_seen_under(&path("/spec")) && !map.any_seen_under(&path("/spec/a")));
    let counts = map.counts();
    assert_eq!((counts.seen, counts.default_applied, counts.was_null), (4, 1, 1));
    let mut other = PresenceMap::new();
    other.insert(&path("/spec/b"), Presence::SEEN | Presence::PRUNED);
    map.merge(&other);
    assert!(map.at("/spec/b").is_pruned());
}

#[test]
fn a_place_moves_with_everything_below_it() {
    let mut map = collect(&PresenceFilter::all());
    map.relocate(&path("/b"), &path("/meta/extra/b"));
    assert!(map.at("/b").is_missing() && map.at("/b/1").is_missing());
    assert!(map.at("/meta/extra/b/1").was_null());
    assert!(map.at("/meta").is_missing() && map.any_seen_under(&path("/meta")));
    map.relocate(&path("/a"), &path("/meta/extra/b"));
    assert_eq!(map.at("/meta/extra/b"), Presence::SEEN | Presence::WAS_NULL);
    assert!(map.at("/meta/extra/b/1").is_missing());
    map.remove(&path("/ab"));
    assert!(map.at("/ab").is_missing());
}

#[test]
fn stages_add_to_what_was_collected() {
    let mut document = sample();
    let mut collected = Collected::of(&document, &PresenceFilter::all());
    let x = document.root().pointer("/b/2").unwrap().id();
    let value = Document::of_events([Event::BeginArray, Event::Int(1), Event::EndArray]);
    let id = document.insert(x, "y", value.root()).unwrap();
    collected.add_inserted(document.value(x), document.value(id), Presence::DEFAULT_APPLIED);
    collected.add_member(document.root(), "later", Presence::DEFAULT_AVAILABLE);
    collected.add(x, Presence::PRUNED);
    let map = collected.into_map();
    assert!(map.at("/b/2/y").default_applied() && map.at("/b/2/y/0").default_applied());
    assert!(map.at("/later").default_available() && map.at("/later").is_missing());
    assert!(map.at("/b/2").is_pruned());
}

// Proves REQ-156.
#[test]
fn wide_and_deep_documents_take_no_more_than_their_size() {
    let keys: Vec<String> = (0..200_000).rev().map(|at| format!("key{at}")).collect();
    let members = keys.iter().flat_map(|key| [Event::Key(key), Event::Null]);
    let wide = Document::of_events(
        [Event::BeginObject].into_iter().chain(members).chain([Event::EndObject]),
    );
    let map = Collected::of(&wide, &PresenceFilter::all()).into_map();
    assert_eq!(map.counts().was_null, keys.len());
    assert!(map.at("/key77777").was_null());
    let deep = 100_000;
    let begins = std::iter::repeat_n(Event::BeginArray, deep);
    let document = Document::of_events(begins.chain(std::iter::repeat_n(Event::EndArray, deep)));
    let map = Collected::of(&document, &PresenceFilter::all()).into_map();
    assert_eq!(map.counts().seen, deep);
}
