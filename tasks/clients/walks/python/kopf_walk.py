"""kopf: an operator with a finalizer, status, events and a timer, run in this process."""

import threading
import time
import uuid

import kopf
from kubernetes import client, config
from walk import finish, lamp, step

config.load_kube_config()
namespace = f"walk-{uuid.uuid4().hex[:8]}"
core, custom = client.CoreV1Api(), client.CustomObjectsApi()
lamps = {"group": "walk.example.com", "version": "v1", "namespace": namespace, "plural": "lamps"}
ticks, deleted = threading.Event(), threading.Event()


@kopf.on.create("walk.example.com", "v1", "lamps")
def created(body, patch, **_):
    patch.status["phase"] = "created"
    kopf.event(body, type="Normal", reason="Walked", message="here")


@kopf.on.field("walk.example.com", "v1", "lamps", field="spec.colour")
def painted(old, new, patch, **_):
    if old is not None:
        patch.status["phase"] = f"painted {new}"


@kopf.timer("walk.example.com", "v1", "lamps", interval=0.5)
def tick(**_):
    ticks.set()


@kopf.on.delete("walk.example.com", "v1", "lamps")
def gone(**_):
    deleted.set()


def until(check):
    for _ in range(200):
        if check():
            return
        time.sleep(0.1)
    raise AssertionError("it did not come to pass")


def desk():
    return custom.get_namespaced_custom_object(name="desk", **lamps)


core.create_namespace({"metadata": {"name": namespace}})
stop = threading.Event()
operator = threading.Thread(target=lambda: kopf.run(namespaces=[namespace], stop_flag=stop, standalone=True))
operator.start()
with step("create"):
    custom.create_namespaced_custom_object(body=lamp("desk"), **lamps)
    until(lambda: desk().get("status", {}).get("phase") == "created")
with step("finalizer"):
    until(lambda: "finalizers" in desk()["metadata"])
with step("events"):
    until(lambda: any(event.reason == "Walked" for event in core.list_namespaced_event(namespace).items))
with step("status"):
    custom.patch_namespaced_custom_object(name="desk", body={"spec": {"colour": "blue"}}, _content_type="application/merge-patch+json", **lamps)
    until(lambda: desk()["status"]["phase"] == "painted blue")
with step("watch"):
    assert ticks.wait(10)
with step("delete"):
    custom.delete_namespaced_custom_object(name="desk", **lamps)
    assert deleted.wait(10)
    until(lambda: not custom.list_namespaced_custom_object(**lamps)["items"])
stop.set()
operator.join(20)
finish()
