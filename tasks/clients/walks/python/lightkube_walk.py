"""lightkube: generic resources, apply, waits."""

import uuid

from lightkube import Client
from lightkube.core.exceptions import ApiError
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import ConfigMap, Namespace
from lightkube.types import PatchType
from walk import finish, step

namespace = f"walk-{uuid.uuid4().hex[:8]}"
Lamp = create_namespaced_resource("walk.example.com", "v1", "Lamp", "lamps")
client = Client(field_manager="walk")
desk = Lamp(metadata=ObjectMeta(name="desk", namespace=namespace, labels={"walk": "yes"}), spec={"colour": "red"})

with step("namespace"):
    client.create(Namespace(metadata=ObjectMeta(name=namespace)))
with step("create"):
    assert client.create(desk).spec["bulbs"] == 1
with step("list"):
    assert [item.metadata.name for item in client.list(Lamp, namespace=namespace, labels={"walk": "yes"})] == ["desk"]
with step("watch"):
    for kind, item in client.watch(Lamp, namespace=namespace, server_timeout=5):
        assert kind == "ADDED" and item.metadata.name == "desk"
        break
with step("update"):
    now = client.get(Lamp, "desk", namespace=namespace)
    now.spec["notes"] = {"a": "b"}
    assert client.replace(now).spec["notes"] == {"a": "b"}
    try:
        now.spec["notes"] = {"a": "c"}
        client.replace(now)
        raise AssertionError("a stale update was accepted")
    except ApiError as error:
        assert error.status.code == 409
with step("patch"):
    now = client.patch(Lamp, "desk", {"spec": {"bulbs": 4}}, namespace=namespace, patch_type=PatchType.MERGE)
    assert now.spec["bulbs"] == 4
with step("apply"):
    applied = Lamp(metadata=ObjectMeta(name="applied", namespace=namespace), spec={"colour": "blue"})
    assert client.apply(applied).metadata.managedFields[0].manager == "walk"
    notes = ConfigMap(metadata=ObjectMeta(name="notes", namespace=namespace), data={"a": "b"}, apiVersion="v1", kind="ConfigMap")
    assert client.apply(notes).data == {"a": "b"}
with step("status"):
    now = client.patch(Lamp.Status, "desk", {"status": {"phase": "on"}}, namespace=namespace, patch_type=PatchType.MERGE)
    assert now.status["phase"] == "on"
with step("scale"):
    scale = client.get(Lamp.Scale, "desk", namespace=namespace)
    scale.spec.replicas = 7
    assert client.replace(scale, "desk", namespace=namespace).spec.replicas == 7
with step("delete"):
    client.delete(Lamp, "desk", namespace=namespace)
    try:
        client.get(Lamp, "desk", namespace=namespace)
        raise AssertionError("it is still there")
    except ApiError as error:
        assert error.status.code == 404
finish()
