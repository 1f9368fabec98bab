#!/bin/sh
# Installs a release of crdkit: `install.sh [VERSION] [DIRECTORY]`. Without a version the newest one, without a
# directory `~/.local/bin`. The archive is checked against its checksum before anything is put in place.
set -eu

version=${1:-latest}
directory=${2:-$HOME/.local/bin}
releases=${CRDKIT_RELEASES:-https://github.com/crdkit/crdkit/releases}

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) target=x86_64-unknown-linux-musl ;;
  Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  *)
    echo "there is no release for $(uname -s) on $(uname -m); build it with: cargo install --locked crdkit-cli" >&2
    exit 3
    ;;
esac

case "$version" in
  latest) base=$releases/latest/download ;;
  *) base=$releases/download/v${version#v} ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archive=crdkit-$target.tar.gz
fetch() {
  if command -v curl > /dev/null; then
    curl --fail --silent --show-error --location --retry 3 --output "$2" "$1"
  else
    wget --quiet --tries 3 --output-document "$2" "$1"
  fi
}
fetch "$base/$archive" "$work/$archive"
fetch "$base/$archive.sha256" "$work/$archive.sha256"
cd "$work"
if command -v sha256sum > /dev/null; then sha256sum -c "$archive.sha256" > /dev/null; else shasum -a 256 -c "$archive.sha256" > /dev/null; fi
tar -xzf "$archive"
mkdir -p "$directory"
mv "crdkit-$target/crdkit" "$directory/crdkit"
echo "crdkit is in $directory"
