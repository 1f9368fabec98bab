"""What a controller's tests look like with a server for each."""

import pytest
from kubernetes import client, config

LAMPS = {"group": "example.com", "version": "v1", "namespace": "default", "plural": "lamps"}


def lamp(colour):
    return {"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "desk"}, "spec": {"colour": colour}}


@pytest.fixture
def lamps(crdkit_server):
    config.load_kube_config(str(crdkit_server.kubeconfig))
    return client.CustomObjectsApi()


@pytest.mark.parametrize("colour", ["red", "green", "blue"])
def test_each_test_begins_with_nothing(lamps, colour):
    assert lamps.list_namespaced_custom_object(**LAMPS)["items"] == []
    made = lamps.create_namespaced_custom_object(body=lamp(colour), **LAMPS)
    assert made["spec"] == {"colour": colour, "bulbs": 1}


def test_the_schema_is_enforced(lamps):
    with pytest.raises(client.ApiException) as refused:
        lamps.create_namespaced_custom_object(body=lamp("pink"), **LAMPS)
    assert refused.value.status == 422


def test_one_server_for_all(crdkit_shared_server):
    config.load_kube_config(str(crdkit_shared_server.kubeconfig))
    assert client.CoreV1Api().read_namespace("default").status.phase == "Active"
