import { builtFile } from "@haft/system";
import { lazy, sha256 } from "@haft/utils";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** One file for Node 20 or later, without dependencies. */
export interface RunnerProgram {
  path: string;
  source: string;
  sha256: string;
}

/** For systems that have Node but not Haft. Start it with `RUNNER_FLAGS`, and connect with `connectRunner`. */
export const runnerProgram = lazy(find);

async function find(): Promise<RunnerProgram> {
  const path = import.meta.url.endsWith(".ts")
    ? await bundled()
    : fileURLToPath(builtFile("@haft/workspace", "runner.js", import.meta.url));
  const source = readFileSync(path, "utf8");
  return { path, source, sha256: sha256(source) };
}

async function bundled(): Promise<string> {
  const house = fileURLToPath(new URL("../../../../", import.meta.url));
  const bundler = join(house, "scripts/bundle-runner.ts");
  const hash = createHash("sha256").update(readFileSync(bundler));
  for (const folder of ["packages/core/src", "packages/workspace/src"]) {
    for (const file of readdirSync(join(house, folder), { recursive: true, encoding: "utf8" }).toSorted()) {
      if (file.endsWith(".ts")) hash.update(`${file}\0`).update(readFileSync(join(house, folder, file)));
    }
  }
  const cache = join(house, "node_modules/.cache/haft");
  const path = join(cache, `runner-${hash.digest("hex").slice(0, 16)}.js`);
  if (existsSync(path)) return path;
  const { bundleRunner } = (await import(bundler)) as { bundleRunner: () => Promise<string> };
  const source = await bundleRunner();
  mkdirSync(cache, { recursive: true });
  const fresh = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  writeFileSync(fresh, source, { mode: 0o644 });
  renameSync(fresh, path);
  return path;
}

/** For `node -e`: reads a program from standard input, preceded by its length. Contains no single quote, dollar sign or backslash. */
export const BOOTSTRAP = [
  "const i=process.stdin;let n;",
  "const t=()=>{",
  "if(n===undefined){const h=i.read(4);if(!h||h.length<4)return;n=h.readUInt32LE(0)}",
  "const s=i.read(n);if(!s||s.length<n)return;",
  'i.off("readable",t);(0,eval)(s.toString())};',
  'i.on("readable",t)',
].join("");

export function sendProgram(stream: Writable, source: string): void {
  const bytes = Buffer.from(source);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  stream.write(Buffer.concat([length, bytes]));
}
