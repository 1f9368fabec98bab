#!/usr/bin/env node
// Runs the released binary of this version, which is fetched once and checked against its checksum.
"use strict";
const { execFileSync, spawnSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const { version } = require("./package.json");
const checksums = require("./checksums.json");
const TARGETS = {
  "linux x64": "x86_64-unknown-linux-musl",
  "linux arm64": "aarch64-unknown-linux-musl",
  "darwin x64": "x86_64-apple-darwin",
  "darwin arm64": "aarch64-apple-darwin",
};

async function binary() {
  const target = TARGETS[`${process.platform} ${process.arch}`];
  if (!target) throw new Error(`there is no release for ${process.platform} on ${process.arch}`);
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  const directory = path.join(cache, "crdkit", version);
  const file = path.join(directory, `crdkit-${target}`, "crdkit");
  if (fs.existsSync(file)) return file;
  const releases = process.env.CRDKIT_RELEASES || "https://github.com/crdkit/crdkit/releases";
  const url = `${releases}/download/v${version}/crdkit-${target}.tar.gz`;
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const sum = createHash("sha256").update(bytes).digest("hex");
  if (sum !== checksums[target]) throw new Error(`${url} does not have the checksum of this release`);
  fs.mkdirSync(directory, { recursive: true });
  const archive = path.join(directory, `${process.pid}.tar.gz`);
  fs.writeFileSync(archive, bytes);
  execFileSync("tar", ["-xzf", archive, "-C", directory]);
  fs.rmSync(archive);
  return file;
}

binary().then(
  (file) => {
    const run = spawnSync(file, process.argv.slice(2), { stdio: "inherit" });
    process.exitCode = run.status ?? 3;
  },
  (error) => {
    console.error(`error: crdkit cannot be installed: ${error.message}`);
    process.exitCode = 3;
  },
);
