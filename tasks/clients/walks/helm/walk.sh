#!/usr/bin/env bash
# walk.sh HELM: a chart with a CRD, a custom resource, a hook and a lookup, through its life.
set -u
helm=$(realpath "$1")
chart=$(realpath chart)
namespace=walk-$RANDOM$RANDOM
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work
status=0
h() { timeout 60 "$helm" --namespace "$namespace" "$@" 2>&1; }
step() {
  local name=$1 text=$2 out
  shift 2
  if ! out=$(h "$@"); then
    status=1
    echo "failed $name: $(tr '\n' '|' <<<"$out" | tail -c 400)"
  elif ! grep -qE -- "$text" <<<"$out"; then
    status=1
    echo "failed $name: lacks $text: $(tr '\n' '|' <<<"$out" | tail -c 400)"
  else
    echo "ok $name"
  fi
}
refused() {
  local name=$1 text=$2 out
  shift 2
  if out=$(h "$@"); then
    status=1
    echo "failed $name: it worked"
  elif ! grep -qE -- "$text" <<<"$out"; then
    status=1
    echo "failed $name: lacks $text: $(tr '\n' '|' <<<"$out" | tail -c 400)"
  else
    echo "ok $name"
  fi
}
step create 'STATUS: deployed' install walk "$chart" --create-namespace
step list '^walk$' list -q
step "dry run" 'colour: green' upgrade walk "$chart" --set colour=green --dry-run=server
step update 'REVISION: 2' upgrade walk "$chart" --set colour=blue
step lookup 'other: "?[1-9]' get manifest walk
step status 'STATUS: deployed' status walk
refused refused 'Unsupported value: "pink"' upgrade walk "$chart" --set colour=pink
step "failed upgrade" 'failed' history walk
step rollback 'Rollback was a success' rollback walk 1
step history 'Rollback to 1' history walk
step get 'colour: red' get manifest walk
step hooks 'helm.sh/hook' get hooks walk
step upgrade 'STATUS: deployed' upgrade --install walk "$chart" --set colour=green --reuse-values
step template 'kind: Shade' template walk "$chart" --validate
step delete 'uninstalled' uninstall walk --wait
step gone '^$' list -q
exit $status
