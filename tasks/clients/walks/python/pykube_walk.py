"""pykube-ng: queries, updates, watch."""

import uuid

import pykube
from walk import finish, lamp, step

namespace = f"walk-{uuid.uuid4().hex[:8]}"
api = pykube.HTTPClient(pykube.KubeConfig.from_env())
Lamp = pykube.object_factory(api, "walk.example.com/v1", "Lamp")

with step("namespace"):
    pykube.Namespace(api, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}).create()
body = lamp("desk")
body["metadata"]["namespace"] = namespace
desk = Lamp(api, body)
with step("create"):
    desk.create()
with step("list"):
    assert [item.name for item in Lamp.objects(api).filter(namespace=namespace, selector={"walk": "yes"})] == ["desk"]
with step("watch"):
    for event in Lamp.objects(api).filter(namespace=namespace).watch():
        assert event.type == "ADDED" and event.object.name == "desk"
        break
with step("update"):
    desk.reload()
    desk.obj["spec"]["colour"] = "blue"
    desk.update()
    desk.reload()
    assert desk.obj["spec"]["colour"] == "blue"
with step("patch"):
    desk.patch({"spec": {"bulbs": 9}})
    desk.reload()
    assert desk.obj["spec"]["bulbs"] == 9
with step("status"):
    desk.patch({"status": {"phase": "on"}}, subresource="status")
    desk.reload()
    assert desk.obj["status"]["phase"] == "on"
with step("delete"):
    desk.delete()
    assert not desk.exists()
finish()
