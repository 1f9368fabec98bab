#!/usr/bin/env python3
"""Verdicts and CPU time of crdkit, kubeconform and kubectl-validate on the same objects, custom and native ones.

    go install github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0
    go install sigs.k8s.io/kubectl-validate@v0.0.4
    cargo build --release -p crdkit-cli
    tasks/bench/side-by-side.py CORPUS [--objects 3000]

CORPUS has `crds.jsonl.gz`, lines of `{name, crd}`, and `cr-verdicts.jsonl.gz`, lines of `{id, crd, object, strict: {code}}`:
what a kube-apiserver answered to a create with `fieldValidation=Strict`; `native/native-verdicts.jsonl.gz` has lines of
`{id, op, gvk, object, strict: {code}}` about kinds that come with Kubernetes, sent to the namespace `default`. Objects are taken
evenly from all of it, custom ones among those of kinds with a version that the CRD serves, native ones among the creates of
objects that say where they go: without the kind of the path, or in another namespace, the path decides, which a file does not
have. Each is a file. A program is right
about an object if it accepts what the server created and refuses what the server refused; an object that it cannot judge
counts as wrong. CPU is user and system time of the process, the least of as many runs as asked for.
"""

import argparse
import gzip
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile


def lines(path):
    with gzip.open(path, "rt") as file:
        for line in file:
            yield json.loads(line)


def program(name, beside):
    found = os.environ.get(name.upper().replace("-", "_")) or shutil.which(name)
    return found or (str(beside / name) if (beside / name).is_file() else None)


def run(arguments):
    """What a program prints, and the CPU seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, cpu


def crdkit(path, at):
    crds = ["--crds", at["crds"]] if "crds" in at else []
    out, cpu = run([path, "validate", "-q", "--no-config", "--verbose", "-o", "json", *crds, at["objects"]])
    rows = json.loads(out)["resources"]
    return {pathlib.Path(row["filename"]).stem: row["status"] == "statusValid" for row in rows}, cpu


def kubeconform(path, at):
    location = at["schemas"] + "/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json"
    out, cpu = run([path, "-strict", "-verbose", "-output", "json", "-schema-location", location, at["objects"]])
    rows = json.loads(out)["resources"]
    return {pathlib.Path(row["filename"]).stem: row["status"] == "statusValid" for row in rows}, cpu


def kubectl_validate(path, at):
    crds = ["--local-crds", at["crds"]] if "crds" in at else []
    out, cpu = run([path, "--output", "json", *crds, at["objects"]])
    rows = json.loads(out)
    accepts = lambda answers: all(answer.get("status") == "Success" for answer in answers)
    return {pathlib.Path(name).stem: accepts(answers) for name, answers in rows.items()}, cpu


def is_complete(line):
    """Whether an object says itself what the path of its request says: group, version, kind, namespace."""
    object = line["object"]
    kind = f"{object.get('apiVersion')}/{object.get('kind')}"
    metadata = object.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    return kind == line["gvk"] and namespace in (None, "", "default")


def evenly(lines, count):
    return lines[:: max(1, len(lines) // count)][:count]


def compare(title, chosen, at, own, export, args):
    """Prints a table about the objects of `chosen`, which are written as files; schemas come from `export`."""
    os.makedirs(at["objects"])
    for number, line in enumerate(chosen):
        pathlib.Path(at["objects"], f"{number:05}.json").write_text(json.dumps(line["object"]))
    command = [own, "schema", "export", "--no-config", "--to", "kubeconform", "--out", at["schemas"], *export]
    subprocess.run(command, check=True, capture_output=True)

    print(f"{title}\n")
    print("| Program | wrongly accepted | wrongly refused | no verdict | CPU |\n|---|---|---|---|---|")
    first = None
    for name, judge in (("crdkit", crdkit), ("kubeconform", kubeconform), ("kubectl-validate", kubectl_validate)):
        path = own if name == "crdkit" else program(name, pathlib.Path(own).parent)
        if path is None:
            print(f"| {name} | is not installed | | | |")
            continue
        runs = [judge(path, at) for _ in range(args.runs)]
        verdicts, cpu = min(runs, key=lambda run: run[1])
        first = first or cpu
        wrong = {"accepted": [], "refused": [], "none": []}
        for number, line in enumerate(chosen):
            expected, found = line["strict"]["code"] == 201, verdicts.get(f"{number:05}")
            if found is None:
                wrong["none"].append(line["id"])
            elif found != expected:
                wrong["accepted" if found else "refused"].append(line["id"])
        counts = " | ".join(str(len(ids)) for ids in wrong.values())
        print(f"| {name} | {counts} | {cpu:.2f} s ({cpu / first:.1f} x) |")
        for kind, ids in wrong.items():
            for id in ids[: args.show]:
                print(f"  {kind}: {id}")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--objects", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--show", type=int, default=0, help="ids of so many wrong verdicts of each program")
    args = parser.parse_args()

    release = pathlib.Path(__file__).resolve().parents[2] / "target" / "release"
    own = program("crdkit", release)
    if own is None:
        raise SystemExit("build crdkit first: cargo build --release -p crdkit-cli")

    crds = {line["name"]: line["crd"] for line in lines(args.corpus / "crds.jsonl.gz")}
    served = {(n, v["name"]) for n, c in crds.items() for v in c["spec"]["versions"] if v.get("served")}
    version = lambda line: str(line["object"].get("apiVersion", "")).rpartition("/")[2]
    custom = [it for it in lines(args.corpus / "cr-verdicts.jsonl.gz") if (it["crd"], version(it)) in served]
    with tempfile.TemporaryDirectory() as directory:
        at = {name: os.path.join(directory, name) for name in ("crds", "objects", "schemas")}
        os.makedirs(at["crds"])
        for name, crd in crds.items():
            pathlib.Path(at["crds"], f"{name}.json").write_text(json.dumps(crd))
        chosen = evenly(custom, args.objects)
        compare(f"{len(chosen)} objects of {len(crds)} CRDs", chosen, at, own, ["--crds", at["crds"]], args)

    recorded = lines(args.corpus / "native" / "native-verdicts.jsonl.gz")
    native = [it for it in recorded if it["op"] == "create" and "object" in it and is_complete(it)]
    with tempfile.TemporaryDirectory() as directory:
        at = {name: os.path.join(directory, name) for name in ("objects", "schemas")}
        chosen = evenly(native, args.objects)
        kinds = len({(it["object"].get("apiVersion"), it["object"].get("kind")) for it in chosen})
        compare(f"{len(chosen)} objects of {kinds} native kinds", chosen, at, own, ["--native"], args)


if __name__ == "__main__":
    main()
