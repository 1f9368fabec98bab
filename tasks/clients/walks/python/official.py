"""The official Python client: CustomObjectsApi, the typed APIs, the dynamic client."""

import datetime
import threading
import time
import uuid

from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock
from walk import finish, lamp, step

config.load_kube_config()
api = client.ApiClient()
core, custom = client.CoreV1Api(), client.CustomObjectsApi()
namespace = f"walk-{uuid.uuid4().hex[:8]}"
lamps = {"group": "walk.example.com", "version": "v1", "namespace": namespace, "plural": "lamps"}

with step("discovery"):
    assert client.VersionApi().get_code().major == "1"
    groups = [group.name for group in client.ApisApi().get_api_versions().groups]
    assert "walk.example.com" in groups, groups
with step("namespace"):
    core.create_namespace({"metadata": {"name": namespace}})
with step("create"):
    made = custom.create_namespaced_custom_object(body=lamp("desk"), **lamps)
    assert made["spec"] == {"colour": "red", "bulbs": 1}, made
with step("refused"):
    try:
        custom.create_namespaced_custom_object(body=lamp("odd", colour="pink"), **lamps)
        raise AssertionError("an object that is not valid was accepted")
    except ApiException as error:
        assert error.status == 422 and "Unsupported value" in error.body, error.body
with step("list"):
    custom.create_namespaced_custom_object(body=lamp("wall", colour="blue"), **lamps)
    found = custom.list_namespaced_custom_object(label_selector="walk=yes", **lamps)
    assert [item["metadata"]["name"] for item in found["items"]] == ["desk", "wall"]
    found = custom.list_namespaced_custom_object(field_selector="spec.colour=blue", **lamps)
    assert [item["metadata"]["name"] for item in found["items"]] == ["wall"]
    page = custom.list_namespaced_custom_object(limit=1, **lamps)
    rest = custom.list_namespaced_custom_object(limit=1, _continue=page["metadata"]["continue"], **lamps)
    assert rest["items"][0]["metadata"]["name"] == "wall"
with step("watch"):
    seen = []
    start = custom.list_namespaced_custom_object(**lamps)["metadata"]["resourceVersion"]
    def write():
        time.sleep(0.2)
        custom.create_namespaced_custom_object(body=lamp("hall"), **lamps)
        custom.delete_namespaced_custom_object(name="hall", **lamps)
    writer = threading.Thread(target=write)
    writer.start()
    stream = watch.Watch()
    for event in stream.stream(custom.list_namespaced_custom_object, resource_version=start, timeout_seconds=20, **lamps):
        seen.append(event["type"])
        if event["type"] == "DELETED":
            stream.stop()
    writer.join()
    assert seen == ["ADDED", "DELETED"], seen
with step("update"):
    now = custom.get_namespaced_custom_object(name="desk", **lamps)
    stale = dict(now)
    now["spec"]["notes"] = {"a": "b"}
    custom.replace_namespaced_custom_object(name="desk", body=now, **lamps)
    try:
        custom.replace_namespaced_custom_object(name="desk", body=stale, **lamps)
        raise AssertionError("a stale update was accepted")
    except ApiException as error:
        assert error.status == 409
with step("patch"):
    custom.patch_namespaced_custom_object(name="desk", body={"spec": {"bulbs": 3}}, _content_type="application/merge-patch+json", **lamps)
    operations = [{"op": "replace", "path": "/spec/colour", "value": "green"}]
    now = custom.patch_namespaced_custom_object(name="desk", body=operations, _content_type="application/json-patch+json", **lamps)
    assert now["spec"]["bulbs"] == 3 and now["spec"]["colour"] == "green", now
    core.create_namespaced_config_map(namespace, {"metadata": {"name": "notes"}, "data": {"a": "1"}})
    notes = core.patch_namespaced_config_map("notes", namespace, {"data": {"b": "2", "a": None}})
    assert notes.data == {"b": "2"}, notes.data
with step("apply"):
    dynamic_client = dynamic.DynamicClient(api)
    resource = dynamic_client.resources.get(api_version="walk.example.com/v1", kind="Lamp")
    body = lamp("applied", switches=[{"name": "one", "on": True}])
    made = resource.server_side_apply(body=body, namespace=namespace, field_manager="walk")
    assert made.metadata.managedFields[0].operation == "Apply"
    other = lamp("applied", colour="blue")
    try:
        resource.server_side_apply(body=other, namespace=namespace, field_manager="other")
        raise AssertionError("no conflict")
    except ApiException as error:
        assert error.status == 409 and "conflict with" in str(error.body), error.body
    now = resource.server_side_apply(body=other, namespace=namespace, field_manager="other", force_conflicts=True)
    assert now.spec.colour == "blue"
with step("status"):
    body = {"status": {"lit": 2, "phase": "on", "selector": "a=b"}}
    now = custom.patch_namespaced_custom_object_status(name="desk", body=body, _content_type="application/merge-patch+json", **lamps)
    assert now["status"]["lit"] == 2 and now["spec"]["bulbs"] == 3
with step("scale"):
    scale = custom.get_namespaced_custom_object_scale(name="desk", **lamps)
    assert scale["spec"]["replicas"] == 3 and scale["status"]["selector"] == "a=b", scale
    custom.patch_namespaced_custom_object_scale(name="desk", body={"spec": {"replicas": 5}}, _content_type="application/merge-patch+json", **lamps)
    assert custom.get_namespaced_custom_object(name="desk", **lamps)["spec"]["bulbs"] == 5
with step("events"):
    event = client.CoreV1Event(
        metadata=client.V1ObjectMeta(generate_name="desk-"), reason="Walked", message="by", type="Normal",
        involved_object=client.V1ObjectReference(kind="Lamp", name="desk", namespace=namespace),
        first_timestamp=datetime.datetime.now(datetime.timezone.utc))
    core.create_namespaced_event(namespace, event)
    found = core.list_namespaced_event(namespace, field_selector="involvedObject.name=desk,reason=Walked")
    assert len(found.items) == 1
with step("leader election"):
    led = threading.Event()
    settings = electionconfig.Config(LeaseLock("walk", namespace, "me"), lease_duration=3, renew_deadline=2, retry_period=1,
                                     onstarted_leading=led.set, onstopped_leading=lambda: None)
    threading.Thread(target=leaderelection.LeaderElection(settings).run, daemon=True).start()
    assert led.wait(20)
with step("native"):
    labels = {"app": "walk"}
    container = client.V1Container(name="c", image="nginx", resources=client.V1ResourceRequirements(requests={"cpu": "0.5"}))
    template = client.V1PodTemplateSpec(metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container]))
    deployment = client.V1Deployment(metadata=client.V1ObjectMeta(name="walk"),
                                     spec=client.V1DeploymentSpec(selector=client.V1LabelSelector(match_labels=labels), template=template))
    made = client.AppsV1Api().create_namespaced_deployment(namespace, deployment)
    assert made.spec.replicas == 1 and made.spec.template.spec.containers[0].resources.requests == {"cpu": "500m"}
    secret = core.create_namespaced_secret(namespace, {"metadata": {"name": "s"}, "stringData": {"a": "b"}})
    assert secret.data == {"a": "Yg=="}
with step("delete"):
    custom.delete_namespaced_custom_object(name="wall", **lamps)
    custom.delete_collection_namespaced_custom_object(label_selector="walk=yes", **lamps)
    assert custom.list_namespaced_custom_object(**lamps)["items"] == []
finish()
