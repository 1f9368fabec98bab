#!/usr/bin/env bash
# build.sh MINOR.PATCH: kubectl 1.MINOR.PATCH from its published modules, into ./kubectl.
set -euo pipefail
[ -x kubectl ] && [ "$(cat built 2>/dev/null)" = "$1" ] && exit 0
cat >main.go <<'GO'
package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
GO
rm -f go.mod go.sum
go mod init walk.example.com/kubectl
go get "k8s.io/kubectl@v0.$1" "k8s.io/component-base@v0.$1"
go mod tidy
version=k8s.io/component-base/version
go build -ldflags "-s -w -X $version.gitVersion=v1.$1 -X $version.gitMajor=1 -X $version.gitMinor=${1%%.*}" -o kubectl .
echo "$1" >built
