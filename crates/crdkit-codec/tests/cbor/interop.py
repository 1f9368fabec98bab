"""Reads a CBOR item in hexadecimal from each line and answers with two: the item encoded again by cbor2 in
its canonical form, and the same value with strings as text, as other encoders write them."""

import sys

import cbor2


def with_text(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [with_text(item) for item in value]
    if isinstance(value, dict):
        return {with_text(key): with_text(member) for key, member in value.items()}
    return value


for line in sys.stdin:
    value = cbor2.loads(bytes.fromhex(line))
    print(cbor2.dumps(value, canonical=True).hex(), cbor2.dumps(with_text(value)).hex())
