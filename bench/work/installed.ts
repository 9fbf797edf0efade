import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../../scripts/lib/workspace.ts";

/** A new process's cost of importing modules, resolved from a folder with `node_modules`. */
export async function importCost(folder: string, specifier: string): Promise<Record<string, number>> {
  // A process's first import() costs extra.
  const code = `
    await import("data:text/javascript,");
    const memory = process.memoryUsage.rss();
    const used = process.cpuUsage();
    const start = performance.now();
    await import(${JSON.stringify(specifier)});
    const time = (performance.now() - start) * 1e6;
    const { user, system } = process.cpuUsage(used);
    const cost = { time, cpu: (user + system) * 1e3, memory: process.memoryUsage.rss() - memory };
    process.stdout.write(JSON.stringify(cost), () => process.exit(0));`;
  const answer = await run(process.execPath, ["--input-type=module", "-e", code], { cwd: folder });
  return JSON.parse(answer) as Record<string, number>;
}

/** A Node process: an installed file, or nothing. */
export async function processCost(folder: string, args: readonly string[]): Promise<{ time: number }> {
  const start = performance.now();
  await run(process.execPath, [...args], { cwd: folder });
  return { time: (performance.now() - start) * 1e6 };
}

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** Disk use of an installed package with dependencies. */
export function installedSize(
  folder: string,
  name: string,
  { optional = true }: { optional?: boolean } = {},
): { bytes: number; packages: number } {
  const found = new Set<string>();
  const visit = (from: string, dependency: string) => {
    const at = findPackage(from, dependency);
    if (at === undefined || found.has(at)) return;
    found.add(at);
    const manifest = JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as Manifest;
    const { optionalDependencies = {}, peerDependencies = {} } = manifest;
    const needed = Object.keys({ ...manifest.dependencies, ...peerDependencies });
    const kept = optional ? needed : needed.filter((key) => !(key in optionalDependencies));
    const all = optional ? [...kept, ...Object.keys(optionalDependencies)] : kept;
    for (const key of all) visit(at, key);
  };
  visit(folder, name);
  let bytes = 0;
  for (const at of found) bytes += sizeOf(at);
  return { bytes, packages: found.size };
}

/** Like Node, in each parent's `node_modules`. */
function findPackage(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const at = join(folder, "node_modules", name);
    if (existsSync(join(at, "package.json"))) return at;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Bytes of a package without inner packages. */
function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules") continue;
    const at = join(folder, entry.name);
    bytes += entry.isDirectory() ? sizeOf(at) : lstatSync(at).size;
  }
  return bytes;
}
