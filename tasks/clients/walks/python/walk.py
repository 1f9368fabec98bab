"""What every walk in Python shares: named steps, each reported on a line of its own."""

import sys
import traceback

failed = []


class step:
    """`with step("create"):` prints `ok create`, or `failed create: why` and goes on."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is None:
            print(f"ok {self.name}", flush=True)
            return True
        if not isinstance(error, Exception):
            return False
        failed.append(self.name)
        print(f"failed {self.name}: {type(error).__name__}: {str(error)[:300]!r}", flush=True)
        traceback.print_exception(error, file=sys.stderr)
        return True


def finish():
    sys.exit(1 if failed else 0)


def lamp(name, **spec):
    return {
        "apiVersion": "walk.example.com/v1",
        "kind": "Lamp",
        "metadata": {"name": name, "labels": {"walk": "yes"}},
        "spec": {"colour": "red", **spec},
    }
