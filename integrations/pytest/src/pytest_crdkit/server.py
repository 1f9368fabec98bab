"""One `crdkit serve` with what a test needs to know of it.

In: where the program is, sources of CRDs and objects. Out: a server that is ready, its URL and its kubeconfig. It ends with `stop`.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path


class ServerError(RuntimeError):
    """The server could not be started."""


class Server:
    """A running API server. Use it as a context manager, or call `start` and `stop`."""

    def __init__(self, crds=(), objects=(), arguments=(), program=None):
        self.program = program or os.environ.get("CRDKIT") or shutil.which("crdkit")
        self.crds = [str(source) for source in crds]
        self.objects = [str(source) for source in objects]
        self.arguments = list(arguments)
        self.url = None
        self.kubeconfig = None
        self._process = None
        self._directory = None

    def start(self):
        if self.program is None:
            raise ServerError("`crdkit` is not on the path; install it, or name it with the variable CRDKIT")
        self._directory = tempfile.TemporaryDirectory(prefix="crdkit-")
        self.kubeconfig = Path(self._directory.name) / "kubeconfig"
        command = [self.program, "serve", "--listen", "127.0.0.1:0", "--kubeconfig", str(self.kubeconfig)]
        for flag, sources in (("--crds", self.crds), ("--objects", self.objects)):
            if sources:
                command += [flag, *sources]
        errors = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(command + self.arguments, stdout=subprocess.PIPE, stderr=errors, text=True)
        except OSError as error:
            self._directory.cleanup()
            raise ServerError(f"`{self.program}` could not be started: {error}") from error
        line = self._process.stdout.readline()
        if not line.startswith("ready at "):
            self._process.wait()
            errors.seek(0)
            why = errors.read().decode(errors="replace").strip() or line.strip()
            self._directory.cleanup()
            raise ServerError(f"the server did not start: {why}")
        self.url = line.removeprefix("ready at ").split(",", 1)[0].strip()
        return self

    def stop(self):
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._process = None
        self._directory.cleanup()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
