"""The fixtures: `crdkit_server`, one for each test, and `crdkit_shared_server`, one for all of them.

CRDs and objects that are there from the start are named in the project's settings (`crdkit_crds`, `crdkit_objects`, below the root
directory) or on a test: `@pytest.mark.crdkit(crds=["crds"], objects=["samples"])`. While a test has a server, `KUBECONFIG` is the server's.
"""

import pytest

from .server import Server


def pytest_addoption(parser):
    parser.addini("crdkit_crds", "CRDs that servers have from the start", type="paths", default=[])
    parser.addini("crdkit_objects", "objects that servers have from the start", type="paths", default=[])


def pytest_configure(config):
    config.addinivalue_line("markers", "crdkit(crds=[], objects=[], arguments=[]): what the test's server has from the start")


def _server(config, crds=(), objects=(), arguments=()):
    return Server(
        crds=[*config.getini("crdkit_crds"), *(config.rootpath / source for source in crds)],
        objects=[*config.getini("crdkit_objects"), *(config.rootpath / source for source in objects)],
        arguments=arguments,
    )


@pytest.fixture
def crdkit_server(request, monkeypatch):
    """An API server of this test's own."""
    mark = request.node.get_closest_marker("crdkit")
    with _server(request.config, **(mark.kwargs if mark else {})) as server:
        monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig))
        yield server


@pytest.fixture(scope="session")
def crdkit_shared_server(request):
    """An API server that all tests share."""
    with _server(request.config) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECONFIG", str(server.kubeconfig))
        yield server
