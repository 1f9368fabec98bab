"""kr8s: objects of classes made at run time, waits, scale."""

import threading
import time
import uuid

import kr8s
from kr8s.objects import ConfigMap, Deployment, Namespace, new_class
from walk import finish, lamp, step

namespace = f"walk-{uuid.uuid4().hex[:8]}"
Lamp = new_class(kind="Lamp", version="walk.example.com/v1", namespaced=True, scalable=True, scalable_spec="bulbs")
api = kr8s.api(namespace=namespace)

with step("discovery"):
    assert api.version()["major"] == "1"
    assert any(resource["kind"] == "Lamp" for resource in api.api_resources())
with step("namespace"):
    Namespace({"metadata": {"name": namespace}}).create()
desk = Lamp({**lamp("desk"), "metadata": {"name": "desk", "namespace": namespace, "labels": {"walk": "yes"}}})
with step("create"):
    desk.create()
    assert desk.raw["spec"]["bulbs"] == 1 and desk.exists()
with step("list"):
    assert [item.name for item in kr8s.get("lamps.walk.example.com", namespace=namespace, label_selector="walk=yes")] == ["desk"]
with step("watch"):
    for kind, item in kr8s.watch("lamps.walk.example.com", namespace=namespace):
        assert kind == "ADDED" and item.name == "desk"
        break
with step("patch"):
    desk.patch({"spec": {"colour": "green"}})
    assert desk.raw["spec"]["colour"] == "green"
    desk.label({"more": "labels"})
with step("status"):
    desk.patch({"status": {"phase": "on"}}, subresource="status")
    later = threading.Timer(0.3, lambda: desk.patch({"status": {"phase": "off"}}, subresource="status"))
    later.start()
    desk.wait("jsonpath='{.status.phase}'=off", timeout=10)
with step("scale"):
    Deployment({"metadata": {"name": "walk", "namespace": namespace}, "spec": {
        "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}).create()
    made = Deployment.get("walk", namespace=namespace)
    made.patch({"spec": {"replicas": 3}}, subresource="scale")
    made.refresh()
    assert made.raw["spec"]["replicas"] == 3
with step("delete"):
    notes = ConfigMap({"metadata": {"name": "notes", "namespace": namespace}, "data": {"a": "b"}})
    notes.create()
    notes.delete()
    desk.delete()
    time.sleep(0.1)
    assert not desk.exists() and not notes.exists()
finish()
