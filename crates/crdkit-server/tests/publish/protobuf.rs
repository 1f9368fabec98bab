//! The binary forms, read field by field.

use crate::support::{no_definitions, resources};
use crdkit_server::openapi::v3::Info;
use crdkit_server::openapi::{protobuf, v2, v3};

const CRD: &str = r"
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Lamp, plural: lamps}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          watts: {type: integer, minimum: 1.5, maxLength: 300}
";

/// The fields called `number` of a message, as bytes.
fn fields(message: &[u8], number: u64) -> Vec<&[u8]> {
    let (mut found, mut rest) = (Vec::new(), message);
    while !rest.is_empty() {
        let tag = varint(&mut rest);
        let length = match tag & 7 {
            0 => rest.iter().take_while(|byte| **byte >= 0x80).count() + 1,
            1 => 8,
            2 => usize::try_from(varint(&mut rest)).expect("it fits"),
            other => panic!("there is no wire type {other}"),
        };
        let (field, after) = rest.split_at(length);
        if tag >> 3 == number {
            found.push(field);
        }
        rest = after;
    }
    found
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (byte, rest) = bytes.split_first().expect("a number goes on");
        *bytes = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}

/// The value of the pair called `name` among `pairs`.
fn named<'m>(pairs: &[&'m [u8]], name: &str) -> &'m [u8] {
    let pair = pairs.iter().find(|pair| fields(pair, 1) == [name.as_bytes()]);
    at(pair.unwrap_or_else(|| panic!("there is a pair {name}")), &[2])
}

/// The only field on a way of numbers.
fn at<'m>(message: &'m [u8], way: &[u64]) -> &'m [u8] {
    way.iter().fold(message, |message, number| {
        let found = fields(message, *number);
        assert_eq!(found.len(), 1, "field {number}");
        found.first().copied().unwrap_or_default()
    })
}

#[test]
fn version_2_has_definitions_and_parameters_of_patches() {
    let parts: Vec<_> = resources(CRD).iter().map(v2::ResourceFragment::new).collect();
    let document = v2::document(Info::CUSTOM, &parts, &no_definitions);
    let message = protobuf::encode_v2(&document);
    assert_eq!(at(&message, &[1]), b"2.0");
    let definitions = fields(at(&message, &[9]), 1);
    let lamp = named(&definitions, "com.example.v1.Lamp");
    assert_eq!(at(lamp, &[22, 1]), b"object");
    let watts = named(&fields(at(lamp, &[25]), 1), "watts");
    assert_eq!(at(watts, &[9]), 1.5_f64.to_le_bytes());
    assert_eq!(at(watts, &[11]), [0xAC, 0x02]);
    let kinds = at(named(&fields(lamp, 31), "x-kubernetes-group-version-kind"), &[2]);
    let wanted = b"[{\"group\":\"example.com\",\"kind\":\"Lamp\",\"version\":\"v1\"}]\n";
    assert_eq!(kinds, wanted.as_slice());

    let paths = fields(at(&message, &[8]), 2);
    let path = named(&paths, "/apis/example.com/v1/namespaces/{namespace}/lamps/{name}");
    let parameters = fields(at(path, &[8]), 8);
    let names: Vec<_> = parameters
        .iter()
        .filter(|it| !fields(at(it, &[1]), 2).is_empty())
        .map(|it| at(it, &[1, 2, 3, 4]))
        .collect();
    assert!(names.contains(&b"fieldValidation".as_slice()));
    assert!(names.contains(&b"dryRun".as_slice()));
}

#[test]
fn version_3_has_schemas_and_references() {
    let served = resources(CRD);
    let document = v3::document(Info::CUSTOM, &served, &no_definitions);
    let message = protobuf::encode_v3(&document);
    assert_eq!(at(&message, &[1]), b"3.0.0");
    let schemas = fields(at(&message, &[5, 1]), 1);
    let lamp = at(named(&schemas, "com.example.v1.Lamp"), &[1]);
    assert_eq!(at(lamp, &[25]), b"object");
    let metadata = at(named(&fields(at(lamp, &[31]), 1), "metadata"), &[1]);
    let reference = at(metadata, &[26, 2, 1]);
    let wanted = b"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    assert_eq!(reference, wanted.as_slice());
}
