// Compares each public entry point's report with `etc/`, so that reviews show every change, and counts
// exports. `--update` writes the reports. Run extract-api.ts first.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { apiFolder, publicEntryPoints, readSurface, type Surface } from "./lib/api-report.ts";
import { check, expectNone, finish } from "./lib/checks.ts";
import { requireBuilt } from "./lib/require-built.ts";
import { root, run } from "./lib/workspace.ts";

const update = process.argv.includes("--update");
requireBuilt(apiFolder, "npm run verify:api");
const reports = join(root, "etc");
mkdirSync(reports, { recursive: true });

const MAX_EXPORTS: Readonly<Record<string, number>> = { "@haft/core": 90, "@haft/tools-fs": 35 };

const written = new Set<string>();
const surfaces = new Map<string, Map<string, Surface>>();
for (const { pkg, entry, name } of publicEntryPoints()) {
  const report = `${name}.api.md`;
  written.add(report);
  await check(`${entry.specifier}: etc/${report}`, () => compare(report));
  const surface = readSurface(readFileSync(join(apiFolder, report), "utf8"));
  surfaces.set(
    pkg.name,
    (surfaces.get(pkg.name) ?? new Map<string, Surface>()).set(entry.specifier, surface),
  );
}

for (const entries of surfaces.values()) {
  // Another entry point exports these names.
  const named = new Set([...entries.values()].flatMap(({ exports }) => [...exports]));
  for (const [specifier, { exports, forgotten, extended, undocumented }] of entries) {
    // It re-exports core, which has a report, and bundled TypeBox, which has other comments and names.
    if (specifier === "@haft/plugin-sdk") continue;
    const nameless = forgotten.filter((name) => !named.has(name));
    const numbers = `${exports.size} exports, ${nameless.length} forgotten, ${undocumented.length} undocumented`;
    await check(`${specifier}: ${numbers}`, () => {
      const most = MAX_EXPORTS[specifier] ?? Infinity;
      expectNone([
        ...(exports.size > most ? [`more than ${most} exports`] : []),
        // A member's type is visible at its use, but an extended type's members are not.
        ...nameless
          .filter((name) => extended.has(name))
          .map((name) => `is extended, but not exported: ${name}`),
        ...undocumented.map((line) => `has no comment: ${line}`),
      ]);
    });
  }
}

await check("etc/ holds no report of an entry point that is gone", () => {
  const stale = readdirSync(reports).filter((file) => !written.has(file));
  if (update) stale.forEach((file) => rmSync(join(reports, file)));
  else expectNone(stale);
});
await finish();

async function compare(report: string): Promise<void> {
  const [old, now] = [join(reports, report), join(apiFolder, report)];
  if (update) return copyFileSync(now, old);
  if (existsSync(old) && readFileSync(old, "utf8") === readFileSync(now, "utf8")) return;
  const difference = await run("diff", ["-u", existsSync(old) ? old : "/dev/null", now]).catch(
    (error: unknown) => (error as Error).message,
  );
  throw new Error(
    `The public surface changed. If it is meant: npm run verify:api -- --update\n${difference}`,
  );
}
