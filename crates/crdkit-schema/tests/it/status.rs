//! Every answer in its JSON form, as an API server writes it.

use crdkit_codec::json::{self, Layout};
use crdkit_issue::{FieldPath, Issue, codes};
use crdkit_schema::status::{Cause, Status, Subject};

const WIDGET: Subject<'_> =
    Subject { group: "example.com", version: "v1", kind: "Widget", name: "a" };
const WIDGETS: Subject<'_> = Subject { kind: "widgets", ..WIDGET };
const NAMESPACES: Subject<'_> = Subject { group: "", version: "v1", kind: "namespaces", name: "x" };
const NOTHING: Subject<'_> = Subject { group: "", version: "", kind: "", name: "" };

/// The rest of a failure is the same for all.
#[track_caller]
fn check(status: &Status, expected: &str) {
    let mut out = Vec::new();
    json::write(status.document().root(), Layout::Compact, &mut out);
    let text = String::from_utf8_lossy(&out);
    let head = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"#;
    let rest = text.strip_prefix(head).unwrap_or(&text);
    assert_eq!(rest, expected);
}

#[test]
fn answers_about_an_object() {
    let size = FieldPath::root().field("spec").field("size");
    let issue = Issue::error(codes::object::REQUIRED).at(size);
    check(
        &WIDGET.invalid([&issue]),
        r#""Widget.example.com \"a\" is invalid: spec.size: Required value","reason":"Invalid","details":{"name":"a","group":"example.com","kind":"Widget","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.size"}]},"code":422}"#,
    );
    check(
        &WIDGET.undecodable("Widget", "it is broken"),
        r#""Widget in version \"v1\" cannot be handled as a Widget: it is broken","reason":"BadRequest","code":400}"#,
    );
    let of_widgets = r#""details":{"name":"a","group":"example.com","kind":"widgets"}"#;
    for (status, message, reason, code) in [
        (WIDGETS.not_found(), r#"widgets.example.com \"a\" not found"#, "NotFound", 404),
        (
            WIDGETS.already_exists(),
            r#"widgets.example.com \"a\" already exists"#,
            "AlreadyExists",
            409,
        ),
        (
            WIDGETS.conflict("it has been modified"),
            r#"Operation cannot be fulfilled on widgets.example.com \"a\": it has been modified"#,
            "Conflict",
            409,
        ),
        (
            WIDGETS.forbidden("not today"),
            r#"widgets.example.com \"a\" is forbidden: not today"#,
            "Forbidden",
            403,
        ),
    ] {
        check(&status, &format!(r#""{message}","reason":"{reason}",{of_widgets},"code":{code}}}"#));
    }
    check(
        &WIDGETS.no_name_generated(),
        r#""widgets.example.com \"a\" already exists, the server was not able to generate a unique name for the object","reason":"AlreadyExists","details":{"name":"a","group":"example.com","kind":"widgets","retryAfterSeconds":1},"code":409}"#,
    );
    check(
        &NAMESPACES.not_found(),
        r#""namespaces \"x\" not found","reason":"NotFound","details":{"name":"x","kind":"namespaces"},"code":404}"#,
    );
    let ending = Cause {
        reason: "NamespaceTerminating".into(),
        field: "metadata.namespace".into(),
        message: "namespace x is being terminated".into(),
    };
    check(
        &WIDGETS.forbidden("it ends").cause(ending),
        r#""widgets.example.com \"a\" is forbidden: it ends","reason":"Forbidden","details":{"name":"a","group":"example.com","kind":"widgets","causes":[{"reason":"NamespaceTerminating","message":"namespace x is being terminated","field":"metadata.namespace"}]},"code":403}"#,
    );
    check(
        &WIDGETS.deleted("u-1"),
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","group":"example.com","kind":"widgets","uid":"u-1"}}"#,
    );
}

#[test]
fn answers_about_a_resource() {
    let of_resource = r#""details":{"group":"example.com","kind":"widgets"}"#;
    check(
        &Subject { name: "", ..WIDGETS }.forbidden("not today"),
        &format!(
            r#""widgets.example.com is forbidden: not today","reason":"Forbidden",{of_resource},"code":403}}"#
        ),
    );
    check(
        &WIDGETS.method_not_allowed("patch"),
        &format!(
            r#""patch is not supported on resources of kind \"widgets.example.com\"","reason":"MethodNotAllowed",{of_resource},"code":405}}"#
        ),
    );
    check(
        &WIDGETS.server_timeout("get", 2),
        r#""The get operation against widgets.example.com could not be completed at this time, please try again.","reason":"ServerTimeout","details":{"group":"example.com","kind":"widgets","retryAfterSeconds":2},"code":500}"#,
    );
}

#[test]
fn answers_about_a_request() {
    let conflict = Cause {
        reason: "FieldManagerConflict".into(),
        field: ".spec.size".into(),
        message: "conflict with \"m\"".into(),
    };
    for (status, expected) in [
        (
            Status::bad_request("no namespace"),
            r#""no namespace","reason":"BadRequest","code":400}"#,
        ),
        (Status::unauthorized(), r#""Unauthorized","reason":"Unauthorized","code":401}"#),
        (
            NOTHING.forbidden("not this path"),
            r#""forbidden: not this path","reason":"Forbidden","details":{},"code":403}"#,
        ),
        (
            Status::no_such_path(),
            r#""the server could not find the requested resource","reason":"NotFound","details":{},"code":404}"#,
        ),
        (
            Status::no_such_method(),
            r#""the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405}"#,
        ),
        (
            Status::not_acceptable("only JSON"),
            r#""only JSON","reason":"NotAcceptable","code":406}"#,
        ),
        (
            Status::apply_conflict("Apply failed", vec![conflict]),
            r#""Apply failed","reason":"Conflict","details":{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"m\"","field":".spec.size"}]},"code":409}"#,
        ),
        (Status::expired("too old", ""), r#""too old","reason":"Expired","code":410}"#),
        (
            Status::expired("too old", "token"),
            r#"{"kind":"Status","apiVersion":"v1","metadata":{"continue":"token"},"status":"Failure","message":"too old","reason":"Expired","code":410}"#,
        ),
        (
            Status::body_too_large(3),
            r#""Request entity too large: limit is 3","reason":"RequestEntityTooLarge","code":413}"#,
        ),
        (
            Status::unsupported_media_type("unknown format"),
            r#""unknown format","reason":"UnsupportedMediaType","code":415}"#,
        ),
        (
            Status::rejected(),
            r#""the server rejected our request due to an error in our request","reason":"Invalid","details":{},"code":422}"#,
        ),
        (
            Status::too_many_requests("wait", 5),
            r#""wait","reason":"TooManyRequests","details":{"retryAfterSeconds":5},"code":429}"#,
        ),
        (
            Status::internal_error("it broke"),
            r#""Internal error occurred: it broke","reason":"InternalError","details":{"causes":[{"message":"it broke"}]},"code":500}"#,
        ),
        (Status::unclassified("odd"), r#""odd","code":500}"#),
        (
            Status::service_unavailable("starting"),
            r#""starting","reason":"ServiceUnavailable","code":503}"#,
        ),
        (
            Status::timeout("too slow", 0),
            r#""Timeout: too slow","reason":"Timeout","details":{},"code":504}"#,
        ),
        (
            Status::version_too_large(9, 3),
            r#""Timeout: Too large resource version: 9, current: 3","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}"#,
        ),
    ] {
        check(&status, expected);
    }
}
