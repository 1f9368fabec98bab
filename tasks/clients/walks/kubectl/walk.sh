#!/usr/bin/env bash
# walk.sh KUBECTL: the everyday commands, on custom resources and on the kinds that come with Kubernetes.
#
# A step is a list of checks, one to a line, which stops at the first that does not hold:
#   has TEXT COMMAND…   succeeds and says something that the expression matches
#   no TEXT COMMAND…    fails and says something that the expression matches
#   run COMMAND…        any command of the shell
set -u
kubectl=$(realpath "$1")
namespace=walk-$RANDOM$RANDOM
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work KUBE_EDITOR
cd "$work" || exit 1
status=0

k() { timeout 60 "$kubectl" --namespace "$namespace" "$@" 2>&1; }
says() { grep -qE -- "$1" <<<"$2" || { printf '%s\nlacks %s' "$2" "$1" | tr '\n' '|'; return 1; }; }
has() {
  local text=$1 out
  shift
  out=$(k "$@") || { printf %s "$out" | tr '\n' '|'; return 1; }
  says "$text" "$out"
}
no() {
  local text=$1 out
  shift
  if out=$(k "$@"); then printf 'it worked: %s' "$out" | tr '\n' '|'; return 1; fi
  says "$text" "$out"
}
run() { "$@"; }
step() {
  local name=$1 check out
  while IFS= read -r check; do
    [ -z "$check" ] && continue
    if ! out=$(eval "$check" 2>&1); then
      status=1
      echo "failed $name: $check: $(cut -c 1-400 <<<"$out")"
      return
    fi
  done
  echo "ok $name"
}

cat >lamp.yaml <<'YAML'
apiVersion: walk.example.com/v1
kind: Lamp
metadata:
  name: desk
  labels: {walk: "yes"}
spec:
  colour: red
YAML
cat >app.yaml <<'YAML'
apiVersion: v1
kind: Service
metadata: {name: app, labels: {part: app}}
spec:
  selector: {app: walk}
  ports: [{port: 80}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: app, labels: {part: app}}
spec:
  selector: {matchLabels: {app: walk}}
  template:
    metadata: {labels: {app: walk}}
    spec:
      containers: [{name: app, image: nginx}]
YAML
cat >event.yaml <<YAML
apiVersion: v1
kind: Event
metadata: {name: walked}
involvedObject: {apiVersion: walk.example.com/v1, kind: Lamp, name: desk, namespace: $namespace, uid: UID}
reason: Walked
message: by
type: Normal
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
count: 1
source: {component: walk}
YAML
mkdir both && cp lamp.yaml both/ && cat >both/kustomization.yaml <<'YAML'
namePrefix: my-
resources: [lamp.yaml]
YAML

step namespace <<'END'
has created create namespace "$namespace"
has Active get namespace "$namespace"
END
step discovery <<'END'
has 'Server Version' version
has 'lamps +lp +walk.example.com/v1 +true +Lamp' api-resources --api-group walk.example.com
has 'walk.example.com/v1' api-versions
has 'deployments +deploy +apps/v1' api-resources -o wide
has 'is running at' cluster-info
has ok get --raw /readyz
END
step create <<'END'
has created create -f lamp.yaml
no AlreadyExists create -f lamp.yaml
has 'created \(server dry run\)' create -f <(sed s/desk/dry/ lamp.yaml) --dry-run=server
no NotFound get lamp dry
END
step get <<'END'
has 'desk +red +1' get lamps
has 'NAME +COLOUR +BULBS' get lp -o wide
has 'walk=yes' get lp --show-labels
has '^  colour: red' get lamp desk -o yaml
has '"bulbs": 1' get lamp.v1.walk.example.com desk -o json
has '^red1$' get lamp desk -o jsonpath='{.spec.colour}{.spec.bulbs}'
has '^desk +red$' get lamps -o custom-columns=NAME:.metadata.name,C:.spec.colour --no-headers
has '^red$' get lamp desk -o go-template='{{.spec.colour}}'
no NotFound get lamp other
has 'No resources found' get lamps -l walk=no
has managedFields get lamp desk -o yaml --show-managed-fields
END
step list <<'END'
has desk get lamps -l walk=yes -o name
has desk get lamps --field-selector spec.colour=red
has desk get lamps --field-selector metadata.name=desk
has 'No resources' get lamps --field-selector spec.colour=blue
has desk get lamps --chunk-size 1
has "$namespace +desk" get lamps --all-namespaces
has 'lamp.walk' get all
has desk get lamps --sort-by .metadata.name
END
step describe <<'END'
has 'Colour: +red' describe lamp desk
has 'API Version: +walk.example.com/v1' describe lamps -l walk=yes
has 'Status: +Active' describe namespace "$namespace"
has 'Kind: +Lamp' describe crd lamps.walk.example.com
END
step explain <<'END'
has 'colour' explain lamp.spec
has 'GROUP: +walk.example.com' explain lamps
has 'replicas' explain deployment.spec
has 'containers' explain pod.spec --recursive
END
step apply <<'END'
has configured apply -f lamp.yaml
has unchanged apply -f lamp.yaml
run sed -i s/red/blue/ lamp.yaml
has 'configured \(server dry run\)' apply -f lamp.yaml --dry-run=server
has 'configured \(dry run\)' apply -f lamp.yaml --dry-run=client
has configured apply -f lamp.yaml
has '^blue$' get lamp desk -o jsonpath='{.spec.colour}'
has 'colour' apply view-last-applied lamp desk
has configured apply set-last-applied -f lamp.yaml
has 'my-desk created' apply -k both
no 'unknown field "spec.volts"' apply -f <(sed 's/colour: blue/volts: 5/;s/desk/odd/' lamp.yaml)
has serverside-applied apply -f <(sed 's/desk/pruned/' lamp.yaml) --server-side --field-manager other
END
step diff <<'END'
has '^$' diff -f lamp.yaml
run sed -i s/blue/green/ lamp.yaml
no '[+] +colour: green' diff -f lamp.yaml
no '[+] +colour: green' diff --server-side --force-conflicts -f lamp.yaml
END
step "server-side apply" <<'END'
has serverside-applied apply --server-side --force-conflicts -f lamp.yaml
no 'conflict' apply --server-side --field-manager other -f <(sed s/green/red/ lamp.yaml)
has '^green$' get lamp desk -o jsonpath='{.spec.colour}'
END
step patch <<'END'
has patched patch lamp desk --type merge -p '{"spec":{"bulbs":2}}'
has patched patch lamp desk --type json -p '[{"op":"add","path":"/spec/notes","value":{"a":"b"}}]'
no 'not supported|unknown format' patch lamp desk -p '{"spec":{"bulbs":3}}'
has '^2b$' get lamp desk -o jsonpath='{.spec.bulbs}{.spec.notes.a}'
END
step update <<'END'
has labeled label lamp desk more=labels
no 'already has a value' label lamp desk more=others
has labeled label lamp desk more=others --overwrite
has unlabeled label lamp desk more-
has annotated annotate lamp desk a=b
has annotated annotate lamps --all b=c
run eval 'KUBE_EDITOR="sed -i s/green/red/"; has edited edit lamp desk'
run eval 'KUBE_EDITOR=true; has "no changes|cancelled" edit lamp desk'
has '^red$' get lamp desk -o jsonpath='{.spec.colour}'
has replaced replace -f <(k get lamp desk -o yaml | sed 's/colour: red/colour: green/')
has 'replaced' replace --force -f lamp.yaml
END
step status <<'END'
has patched patch lamp desk --subresource status --type merge -p '{"status":{"phase":"on","lit":2}}'
has 'condition met' wait lamp desk --for jsonpath='{.status.phase}'=on --timeout 5s
has '^on$' get lamp desk --subresource status -o jsonpath='{.status.phase}'
has 'condition met' wait crd lamps.walk.example.com --for condition=Established --timeout 5s
END
step scale <<'END'
has scaled scale lamp desk --replicas 4
has '^4$' get lamp desk -o jsonpath='{.spec.bulbs}'
no 'Expected replicas' scale lamp desk --current-replicas 9 --replicas 5
has '^4$' get lamp desk --subresource scale -o jsonpath='{.spec.replicas}'
END
step watch <<'END'
run eval 'timeout 3 "$kubectl" -n "$namespace" get lamps -w -o name >watched; grep -q desk watched'
run eval 'timeout 3 "$kubectl" -n "$namespace" get lamp desk -w --output-watch-events --no-headers >watched; grep -qE "ADDED +desk" watched'
run eval '(sleep 1; k patch lamp desk --type merge -p "{\"status\":{\"phase\":\"off\"}}" --subresource status) & has "condition met" wait lamp desk --for jsonpath="{.status.phase}"=off --timeout 20s'
run eval '(sleep 1; k delete lamp pruned) & has "condition met" wait lamp pruned --for delete --timeout 20s'
END
step refused <<'END'
no 'Unsupported value: "pink": supported values: "red", "green", "blue"' patch lamp desk --type merge -p '{"spec":{"colour":"pink"}}'
no 'Invalid value: 300' scale lamp desk --replicas 300
no 'not found|the server doesn.t have a resource type' get shades
END
step native <<'END'
has created apply -f app.yaml
has 'unchanged' apply -f app.yaml
has 'app +ClusterIP +[0-9.]+ +<none> +80/TCP' get service app
has 'app +0/1 +0 +0' get deployment app
has 'nginx' get deployment app -o wide
has 'Replicas:' describe deployment app
has 'Type: +ClusterIP' describe service app
has 'updated' set image deployment/app app=nginx:2
has '^nginx:2$' get deployment app -o jsonpath='{.spec.template.spec.containers[0].image}'
has 'updated' set env deployment/app A=b
has 'updated' set resources deployment/app --limits cpu=1
has patched patch deployment app -p '{"spec":{"template":{"spec":{"containers":[{"name":"app","ports":[{"containerPort":80}]}]}}}}'
has '^nginx:2 80$' get deployment app -o jsonpath='{.spec.template.spec.containers[0].image} {.spec.template.spec.containers[0].ports[0].containerPort}'
has scaled scale deployment app --replicas 2
has restarted rollout restart deployment app
has paused rollout pause deployment app
has resumed rollout resume deployment app
no . rollout status deployment app --timeout 1s
has 'exposed' expose deployment app --name other --port 80
has 'autoscaled' autoscale deployment app --min 1 --max 3 --cpu-percent 50 || has 'autoscaled' autoscale deployment app --min 1 --max 3 --cpu 50%
has 'Deployment/app' get hpa
has created run pod --image nginx --restart Never
has 'pod +0/1 +Pending' get pod pod
has 'nginx' describe pod pod
has created create job j --image nginx
has created create cronjob cj --image nginx --schedule '*/5 * * * *'
has created create job from --from cronjob/cj
has 'pruned|unchanged|configured' apply -f app.yaml --prune -l part=app
END
step config <<'END'
has created create configmap c --from-literal a=b
has created create configmap f --from-file lamp.yaml
has '^b$' get configmap c -o jsonpath='{.data.a}'
has created create secret generic s --from-literal a=b
has created create secret docker-registry r --docker-username u --docker-password p --docker-server s.example.com
has 'Opaque +1' get secret s
has 'a: +1 bytes' describe secret s
has created create serviceaccount a
has . create token a
has created create quota q --hard pods=10
has created create poddisruptionbudget p --selector app=walk --min-available 1
has created create ingress i --rule 'example.com/*=app:80'
has created create service nodeport n --tcp 80
has created create deployment d --image nginx --replicas 0
has created create priorityclass "$namespace" --value 10
has deleted delete priorityclass "$namespace"
END
step access <<'END'
has yes auth can-i create lamps
has yes auth can-i '*' '*'
has created create role r --verb get --resource lamps
has created create rolebinding b --role r --user jane
has yes auth can-i get lamps --as jane
no no auth can-i delete lamps --as jane
has 'lamps.walk.example.com' auth can-i --list --as jane
no Forbidden get configmaps --as jane
has 'desk' get lamp desk --as jane
has created create clusterrole "$namespace" --verb get --resource nodes
has created create clusterrolebinding "$namespace" --clusterrole "$namespace" --serviceaccount "$namespace:a"
has reconciled auth reconcile -f <(k get role r -o yaml)
has deleted delete clusterrole,clusterrolebinding "$namespace"
END
step events <<'END'
has created create -f <(sed "s/UID/$(k get lamp desk -o jsonpath='{.metadata.uid}')/" event.yaml)
has 'Walked +lamp/desk +by' get events
has 'Walked' events
has 'Walked' get events --field-selector involvedObject.name=desk,reason=Walked
has 'Normal +Walked' describe lamp desk
END
step delete <<'END'
has 'deleted.*\(server dry run\)' delete lamp desk --dry-run=server
has deleted delete lamp desk --wait
has deleted delete -f app.yaml --cascade=foreground --wait=false
has deleted delete job j --cascade=orphan
has deleted delete pod pod --now
has deleted delete configmaps --all
has deleted delete lamps -l walk=yes
no NotFound delete lamp desk
has '^$' delete lamp desk --ignore-not-found
has deleted delete namespace "$namespace"
no NotFound get namespace "$namespace"
END
exit $status
