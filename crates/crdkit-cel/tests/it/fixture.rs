//! The object that test expressions see as `self`, and the one place that runs them.

use std::fmt::Write;
use std::sync::Arc;

use crdkit_cel::{
    Arena, Binding, Constant, Env, EnvBuilder, Field, Limits, ListKind, Purpose, Shape, ShapeId,
    ShapeKind, Shapes, Val,
};
use crdkit_value::Document;

const OBJECT: &str = r#"{
    "name": "web", "replicas": 3, "ratio": 0.5, "enabled": true, "zone": null,
    "created": "2024-02-29T12:30:00Z", "timeout": "1m30s", "data": "aGk=", "either": "25%",
    "memory": "512Mi", "address": "10.1.2.3", "version": "1.4.0",
    "tags": ["b", "a"], "numbers": [3, 1, 2], "labels": {"app": "web", "a/b": "c"},
    "ports": [{"name": "http", "port": 80}, {"name": "https", "port": 443, "note": null}],
    "owner": {"namespace": "ops", "x-y": "z"}
}"#;

/// Document, shapes and environment for one run.
pub(crate) struct Fixture {
    pub(crate) document: Document,
    pub(crate) shapes: Arc<Shapes>,
    pub(crate) root: ShapeId,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let document =
            crdkit_codec::json::decode(OBJECT.as_bytes(), &crdkit_codec::DecodeOptions::default())
                .unwrap_or_else(|issue| panic!("{issue:?}"))
                .document;
        let mut shapes = Shapes::default();
        let root = add_shapes(&mut shapes);
        Self { document, shapes: Arc::new(shapes), root }
    }

    /// The newest Kubernetes environment with `self`.
    pub(crate) fn env(&self) -> EnvBuilder {
        self.in_env(Env::kubernetes(36, Purpose::Stored))
    }

    pub(crate) fn in_env(&self, env: EnvBuilder) -> EnvBuilder {
        let ty = self.shapes.type_of(self.root);
        env.shapes(Arc::clone(&self.shapes)).variable("self", ty)
    }

    pub(crate) fn bind(&self, name: &str) -> Option<Binding<'_>> {
        (name == "self").then(|| Binding::Document(self.document.root(), self.root))
    }

    /// Everything there is to say about an expression: type, cost before and after, result; or its errors.
    pub(crate) fn describe(&self, env: &Env, expression: &str) -> String {
        let checked = match env.compile(expression) {
            Ok(checked) => checked,
            Err(errors) => return errors.to_string(),
        };
        let estimate = env.estimate_cost(&checked, Some(self.root));
        let program = match env.plan(&checked) {
            Ok(program) => program,
            Err(error) => return format!("cannot run: {error}"),
        };
        let arena = Arena::new();
        let outcome = program.evaluate(&arena, |name| self.bind(name), Limits::default());
        let mut out = format!("{} costs {}", checked.result_type(), outcome.cost);
        if estimate.max == u64::MAX {
            out.push_str(" of any number");
        } else {
            let _ = write!(out, " of {}", estimate.max);
        }
        match &outcome.result {
            Ok(value) => {
                let text = program
                    .to_constant(&arena, value)
                    .map_or_else(|| format!("{value:?}"), |it| show(&it));
                let _ = write!(out, ": {text}");
            }
            Err(error) => {
                let _ = write!(out, ": error: {error}");
            }
        }
        out
    }

    /// The result of an expression in the newest environment.
    pub(crate) fn result(&self, expression: &str) -> String {
        self.describe(&self.env().build(), expression)
    }
}

fn show(value: &Constant) -> String {
    match value {
        Constant::Null => "null".to_owned(),
        Constant::Bool(it) => it.to_string(),
        Constant::Int(it) => it.to_string(),
        Constant::Uint(it) => format!("{it}u"),
        Constant::Double(it) => format!("{it:?}"),
        Constant::String(it) => format!("{it:?}"),
        Constant::Bytes(it) => format!("b{:?}", String::from_utf8_lossy(it)),
        Constant::Duration(it) => format!("{it}ns"),
        Constant::Timestamp(it) => it.to_string(),
        Constant::Type(it) => it.to_string(),
        Constant::List(items) => {
            format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", "))
        }
        Constant::Map(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", show(key), show(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

fn add_shapes(shapes: &mut Shapes) -> ShapeId {
    let mut add = |kind, max_elements| shapes.add(Shape { kind, nullable: false, max_elements });
    let field = |name: &str, key: &str, shape| Field { name: name.into(), key: key.into(), shape };
    let string = add(ShapeKind::String, 40);
    let text = add(ShapeKind::String, 3_145_726);
    let int = add(ShapeKind::Int, 0);
    let port = add(
        ShapeKind::Object {
            name: "Port".into(),
            fields: vec![
                field("name", "name", string),
                field("port", "port", int),
                field("note", "note", string),
            ],
        },
        0,
    );
    let owner = add(
        ShapeKind::Object {
            name: "Owner".into(),
            fields: vec![
                field("__namespace__", "namespace", string),
                field("x__dash__y", "x-y", string),
            ],
        },
        0,
    );
    let fields = vec![
        field("name", "name", string),
        field("text", "text", text),
        field("replicas", "replicas", int),
        field("ratio", "ratio", add(ShapeKind::Double, 0)),
        field("enabled", "enabled", add(ShapeKind::Bool, 0)),
        field("zone", "zone", string),
        field("created", "created", add(ShapeKind::DateTime, 32)),
        field("timeout", "timeout", add(ShapeKind::Duration, 32)),
        field("data", "data", add(ShapeKind::Bytes, 100)),
        field("either", "either", add(ShapeKind::IntOrString, 20)),
        field("memory", "memory", string),
        field("address", "address", string),
        field("version", "version", string),
        field("tags", "tags", add(ShapeKind::List { element: string, kind: ListKind::Set }, 10)),
        field(
            "numbers",
            "numbers",
            add(ShapeKind::List { element: int, kind: ListKind::Atomic }, 10),
        ),
        field("labels", "labels", add(ShapeKind::Map { value: string }, 10)),
        field(
            "ports",
            "ports",
            add(
                ShapeKind::List {
                    element: port,
                    kind: ListKind::Map { keys: vec!["name".into()] },
                },
                10,
            ),
        ),
        field("owner", "owner", owner),
    ];
    add(ShapeKind::Object { name: "Server".into(), fields }, 0)
}

/// A boolean result.
pub(crate) fn is_true(value: &Val<'_>) -> bool {
    matches!(value, Val::Bool(true))
}
