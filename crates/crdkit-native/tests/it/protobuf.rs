//! Objects to the wire and back.

use crdkit_codec::{DecodeOptions, json};
use crdkit_native::protobuf::{self, ProtobufError};
use crdkit_value::{Document, Limits, Value};

fn document(text: &str) -> Document {
    json::decode(text.as_bytes(), &DecodeOptions::default()).expect("JSON").document
}

fn decode(bytes: &[u8]) -> Document {
    protobuf::decode(bytes, &Limits::default()).expect("a body")
}

#[test]
fn an_object_comes_back_as_it_was() {
    let lease = document(
        r#"{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"a","labels":{"b":"1","a":"2"}},
            "spec":{"holderIdentity":"x","leaseDurationSeconds":15,"renewTime":"2024-11-02T10:00:00.123456Z"}}"#,
    );
    let body = protobuf::encode(lease.root()).expect("a message");
    assert!(protobuf::is_protobuf(&body));
    assert_eq!(decode(&body), lease);
}

#[test]
fn quantities_and_ports_are_written_as_the_server_writes_them() {
    let body = protobuf::encode(
        document(
            r#"{"kind":"Service","apiVersion":"v1","metadata":{"name":"a"},
                "spec":{"ports":[{"port":80,"targetPort":"http"},{"port":81,"targetPort":8081}]}}"#,
        )
        .root(),
    );
    let service = decode(&body.expect("a message"));
    let port = |pointer| service.root().pointer(pointer).expect("a port");
    assert_eq!(port("/spec/ports/0/targetPort").as_str(), Some("http"));
    assert_eq!(port("/spec/ports/1/targetPort").as_i64(), Some(8081));
}

#[test]
fn options_of_deletes_are_known_in_every_group() {
    let text = r#"{"kind":"DeleteOptions","apiVersion":"apps/v1","gracePeriodSeconds":0}"#;
    let body = protobuf::encode(document(text).root()).expect("a message");
    assert_eq!(
        decode(&body).root().pointer("/gracePeriodSeconds").and_then(Value::as_i64),
        Some(0)
    );
}

#[test]
fn a_watch_event_has_its_length_before_it() {
    let object = document(r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}"#);
    let frame = protobuf::encode_event("ADDED", object.root()).expect("a message");
    let (length, event) = frame.split_first_chunk::<4>().expect("a length");
    assert_eq!(u32::from_be_bytes(*length) as usize, event.len());
}

#[test]
fn kinds_without_a_message_are_refused() {
    let widget = document(r#"{"kind":"Widget","apiVersion":"example.com/v1"}"#);
    let refused = protobuf::encode(widget.root());
    assert!(matches!(refused, Err(ProtobufError::UnknownKind { .. })));
}
