// Tries the bridges with published packages, each in an empty temporary folder without install scripts.
// --update first writes the table docs/reference/bridges.md.
//
// npm run bridges -- [NAME …] [--update]
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { formatTable, type Row } from "./lib/bridges/table.ts";
import type { Load, Trial } from "./lib/bridges/trial.ts";
import { trials } from "./lib/bridges/trials.ts";
import { check, finish, need } from "./lib/checks.ts";
import { createCleanEnvironment, root, run } from "./lib/workspace.ts";

const { values, positionals } = parseArgs({
  options: { update: { type: "boolean", default: false } },
  allowPositionals: true,
});
const chosen = positionals.length === 0 || values.update ? trials : trials.filter(isChosen);
const rows: Row[] = [];
await need(`each name is one of ${trials.map(({ name }) => name).join(", ")}`, () => {
  const unknown = positionals.filter((name) => trials.every((trial) => trial.name !== name));
  if (unknown.length > 0) throw new Error(`There is no trial ${unknown.join(", ")}.`);
});
for (const trial of chosen) await tryOut(trial);
if (values.update) writeFileSync(join(root, "docs/reference/bridges.md"), formatTable(rows));
await finish();

function isChosen({ name }: Trial): boolean {
  return positionals.includes(name);
}

async function tryOut({ framework, packages, checks }: Trial): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-bridge-")));
  try {
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    await check(`${packages[0]} is installed`, () =>
      run(
        "npm",
        ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps", ...packages],
        {
          cwd: folder,
          env: createCleanEnvironment(),
        },
      ),
    );
    // Modules in this folder find the trial's packages.
    const loader = join(folder, "load.js");
    writeFileSync(loader, "export const load = (specifier) => import(specifier);\n");
    const { load } = (await import(pathToFileURL(loader).href)) as { load: Load };
    for (const [what, body] of Object.entries(checks)) {
      let works = false;
      await check(`${packages[0]}: ${what}`, async () => {
        await body(load, folder);
        works = true;
      });
      rows.push({ framework, packages, what, works });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
