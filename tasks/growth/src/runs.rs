//! What is done with inputs: one function for every decoder and every question.

use crate::inputs::Input;
use crdkit_admission::policy::{Policy, PolicyBinding};
use crdkit_admission::{AdmissionRequest, Operation, User};
use crdkit_cel::{Arena, Binding, Env, Limits, Purpose, Type, Val};
use crdkit_codec::{DecodeOptions, Decoded, Format, cbor, json, yaml};
use crdkit_compat::{crdify, semantic};
use crdkit_engine::{Crd, RequestOptions};
use crdkit_native::NativeKinds;
use crdkit_patch::managed::{CrdVersions, Writer, owners};
use crdkit_patch::{Definitions, PatchLimits, Schema, diff, merge, strategic};
use crdkit_sample::{Extent, Sampler};
use crdkit_schema::{check, read};
use crdkit_structure::stream::{Strategy, Stream, StreamOptions};
use crdkit_structure::{DefaultMode, ImportOptions, ParseOptions, Profile, import};
use crdkit_text::kind::{GroupVersion, GroupVersionKind, GroupVersionResource};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Value};
use std::hint::black_box;

pub(crate) fn json_document(bytes: &[u8]) -> Document {
    let decoded = json::decode(bytes, &DecodeOptions::default());
    decoded.map_or_else(|_| Document::null(), |it| it.document)
}

pub(crate) fn decode_json(input: &Input) {
    let _ = black_box(json::decode(&input.first, &DecodeOptions::default()));
}

pub(crate) fn decode_yaml(input: &Input) {
    let _ = black_box(yaml::decode(&input.first, &DecodeOptions::default()));
}

pub(crate) fn decode_cbor(input: &Input) {
    let _ = black_box(cbor::decode(&input.first, &DecodeOptions::default()));
}

pub(crate) fn documents_json(input: &Input) {
    let options = DecodeOptions::default();
    black_box(Format::Json.documents(&input.first, &options).count());
}

pub(crate) fn documents_yaml(input: &Input) {
    let options = DecodeOptions::default();
    black_box(Format::Yaml.documents(&input.first, &options).count());
}

pub(crate) fn lint(input: &Input) {
    let document = json_document(&input.first);
    let (crd, limits) = read::crd(document.root());
    black_box(limits.len() + check::create(&crd).len());
    let _ = black_box(Crd::compile(&document));
}

pub(crate) fn validate(input: &Input) {
    let Ok(crd) = Crd::compile(&json_document(&input.first)) else { return };
    let document = json_document(&input.second);
    let object = Decoded { document, issues: Vec::new() };
    if let Some(version) = crd.version("v1") {
        let outcome = version.create(object, &RequestOptions::default());
        black_box(outcome.issues.iter().map(|issue| issue.message().len()).sum::<usize>());
    }
}

pub(crate) fn compat(input: &Input) {
    let (old, new) = (json_document(&input.first), json_document(&input.second));
    let _ = black_box(semantic::compare(&old, &new));
}

pub(crate) fn crdify(input: &Input) {
    let (old, new) = (json_document(&input.first), json_document(&input.second));
    let (old, new) = (read::crd(old.root()).0, read::crd(new.root()).0);
    black_box(crdify::compare(&old, &new, &crdify::Config::default()).plain_text());
}

pub(crate) fn sample(input: &Input) {
    let document = json_document(&input.first);
    let Ok(sampler) = Sampler::new(&document) else { return };
    black_box(sampler.sample("v1", Extent::All).map(|it| yaml::text(it.document.root())));
}

pub(crate) fn env() -> Env {
    Env::kubernetes(u32::MAX, Purpose::Stored).variable("text", Type::String).build()
}

pub(crate) fn cel(input: &Input, rule: &str) {
    let env = env();
    let program = env.compile(rule).ok().and_then(|checked| env.plan(&checked).ok());
    let Some(program) = program else { return };
    let text = String::from_utf8_lossy(&input.first);
    let arena = Arena::new();
    let bind = |_: &str| Some(Binding::Value(Val::String(&text)));
    black_box(program.evaluate(&arena, bind, Limits::default()).cost);
}

pub(crate) fn structure(input: &Input, threshold: usize) {
    let schema = json_document(&input.first);
    let options = ImportOptions::new().profile(Profile::Loose).defaults(DefaultMode::Apply);
    let Ok(imported) = import(schema.root(), &options) else { return };
    if threshold == usize::MAX {
        black_box(imported.schema.parse(&*input.second, &ParseOptions::new()).issues.len());
        return;
    }
    let strategy = Strategy::new().threshold(threshold);
    let options = StreamOptions::new().strategy(strategy);
    let mut stream = Stream::new(&*input.second, &imported.schema, &options);
    while let Ok(Some(step)) = stream.step() {
        black_box(&step);
    }
}

pub(crate) fn patch_json(input: &Input) {
    let Ok(patch) = crdkit_patch::json::JsonPatch::read(&input.first, &PatchLimits::default())
    else {
        return;
    };
    let mut object = json_document(&input.second);
    let _ = black_box(patch.apply(&mut object));
}

pub(crate) fn patch_merge(input: &Input) {
    let Ok(patch) = merge::MergePatch::read(&input.first, &PatchLimits::default()) else { return };
    let mut object = json_document(&input.second);
    patch.apply(&mut object);
    black_box(object.n_nodes());
}

fn deployments() -> Option<Schema<'static>> {
    Schema::of_kind(Definitions::native(), "apps/v1", "Deployment")
}

pub(crate) fn patch_strategic(input: &Input) {
    let Ok(patch) = strategic::StrategicPatch::read(&input.first, &PatchLimits::default()) else {
        return;
    };
    let mut object = json_document(&input.second);
    if let Some(schema) = deployments() {
        let _ = black_box(patch.apply(&mut object, &schema));
    }
}

pub(crate) fn diffs(input: &Input) {
    let (old, new) = (json_document(&input.first), json_document(&input.second));
    let (old, new) = (old.root(), new.root());
    black_box((diff::json(old, new).n_nodes(), diff::merge(old, new).n_nodes()));
    if let Some(schema) = deployments() {
        black_box(diff::strategic(&schema, old, new).n_nodes());
        black_box(diff::fields(&schema, old, new).len());
    }
}

fn write(input: &Input, live: Option<&Document>, config: &Document) -> Option<Document> {
    let crd = Crd::compile(&json_document(&input.first)).ok()?;
    let writer = Writer {
        manager: "one",
        api_version: "example.com/v1",
        subresource: "",
        time: Timestamp { seconds: 1, nanoseconds: 0, offset: 0 },
        reset: &[],
        versions: &CrdVersions(crd.compiled()),
    };
    writer.apply("Lamp", live, config, true).ok().map(|it| it.document)
}

pub(crate) fn apply(input: &Input) {
    let config = json_document(&input.second);
    let first = write(input, None, &config);
    let again = write(input, first.as_ref(), &config);
    let _ = black_box(again.as_ref().map(owners));
}

/// Applies something new over an object with managers.
pub(crate) fn apply_over(input: &Input) {
    let live = json_document(&input.second);
    let config = json_document(crate::inputs::lamp(r#"{"p1":"y","p2":"z"}"#).as_bytes());
    black_box(write(input, Some(&live), &config).is_some());
}

pub(crate) fn native(input: &Input) {
    let object = json_document(&input.first);
    let text = |key| object.root().get(key).and_then(Value::as_str).unwrap_or_default();
    let Some(GroupVersion { group, version }) = GroupVersion::parse(text("apiVersion")) else {
        return;
    };
    let Some(kind) = NativeKinds::latest().find(group, version, text("kind")) else { return };
    let outcome = kind.create(object.clone(), &RequestOptions::default());
    black_box(outcome.issues.len());
}

pub(crate) fn to_protobuf(text: &str) -> Vec<u8> {
    crdkit_native::protobuf::encode(json_document(text.as_bytes()).root()).unwrap_or_default()
}

pub(crate) fn protobuf(input: &Input) {
    let limits = crdkit_value::Limits::default();
    let Ok(document) = crdkit_native::protobuf::decode(&input.first, &limits) else { return };
    let _ = black_box(crdkit_native::protobuf::encode(document.root()));
}

pub(crate) fn judge(input: &Input) {
    let (policy, object) = (json_document(&input.first), json_document(&input.second));
    let binding = json_document(
        br#"{"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Deny"]}}"#,
    );
    let kind = GroupVersionKind::of("apps/v1", "Deployment");
    let resource = GroupVersionResource {
        group: "apps".into(),
        version: "v1".into(),
        resource: "deployments".into(),
    };
    let user = User::default();
    let request = AdmissionRequest {
        name: "web",
        namespace: "garden",
        object: Some(&object),
        ..AdmissionRequest::new(Operation::Create, &kind, &resource, &user)
    };
    let (policies, bindings) =
        ([Policy::read(policy.root())], [PolicyBinding::read(binding.root())]);
    let around: (crdkit_admission::policy::Convert<'_>, crdkit_admission::policy::FindParams<'_>) =
        (&|object, _| Ok(object.clone()), &|_, _, _| Ok(Vec::new()));
    let _ = black_box(crdkit_admission::policy::judge(&policies, &bindings, &request, around));
}
