// Tests packages that support other engines: core, policy, commands and plugin-sdk. It tests packed packages
// with programs and entry-point suites, and the sources with all suites, by vitest in that engine. It
// installs engines on demand (about 100 MB each); pack first (npm run verify:packages).
//
// npm run engines -- [bun|deno|node22|node24|node26]… [--short]
//   --short  only what is packed
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { HOST_PROGRAM } from "./lib/engine-program.ts";
import { hiddenSources } from "./lib/packed-tests.ts";
import { getNodePackage, packedFolder } from "./lib/packed.ts";
import { installPrograms } from "./lib/program-versions.ts";
import { entryPoints, createCleanEnvironment, publicPackages, root } from "./lib/workspace.ts";

/** Characters of a failed engine's output. */
const LAST_WORDS = 3000;
const PACKAGES = ["core", "policy", "commands", "plugin-sdk"];

/** Needs Node's own start options, or a host or sandbox of `@haft/workspace`, which rejects other engines. */
const NODE_ALONE = new Set([
  "packages/core/test/compose/runtime-without-call-sites.test.ts",
  "packages/plugin-sdk/test/testing/in-sandbox.system.test.ts",
  "packages/plugin-sdk/test/testing/missing-packages.test.ts",
  "packages/plugin-sdk/test/testing/test-plugin.test.ts",
  "packages/plugin-sdk/test/testing/test-session.test.ts",
]);

interface Engine {
  /** The version in the registry. */
  wanted: string;
  /** The program in the commands' folder, and the words before it. */
  command: string;
  flags: readonly string[];
}

const ENGINES: Readonly<Record<string, Engine>> = {
  bun: { wanted: "bun@1.4.5", command: "bun", flags: [] },
  deno: { wanted: "deno@2.9.6", command: "deno", flags: ["run", "--allow-all", "--no-lock"] },
  ...Object.fromEntries(
    ["22", "24", "26"].map((version) => [
      `node${version}`,
      { wanted: `${getNodePackage()}@${version}`, command: "node", flags: ["--no-warnings"] },
    ]),
  ),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: "boolean" } },
});
const names = positionals.length === 0 ? Object.keys(ENGINES) : positionals;
const unknown = names.find((name) => !Object.hasOwn(ENGINES, name));
if (unknown !== undefined) {
  console.error(`There is no engine ${unknown}. Engines: ${Object.keys(ENGINES).join(", ")}.`);
  process.exit(2);
}

const suites = globSync(`packages/{${PACKAGES.join()}}/test/**/*.test.ts`, { cwd: root }).toSorted();
const onPacked = suites.filter((test) => hiddenSources(test).length === 0);
const installed = packedFolder();
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-engines-")));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
writeFileSync(join(scratch, "package.json"), '{ "private": true, "type": "module" }\n');
symlinkSync(join(installed, "node_modules"), join(scratch, "node_modules"));
writeFileSync(join(scratch, "host.mjs"), HOST_PROGRAM);
const specifiers = publicPackages()
  .filter(({ folder }) => PACKAGES.some((name) => folder === `packages/${name}`))
  .flatMap(entryPoints)
  .map(({ specifier }) => specifier);
writeFileSync(
  join(scratch, "imports.mjs"),
  `for (const name of ${JSON.stringify(specifiers)}) {
  const count = Object.keys(await import(name)).length;
  if (count === 0) throw new Error(name + " exports nothing");
}
console.log("${specifiers.join(", ")} can be imported.");\n`,
);

const failed: string[] = [];
for (const name of names) await tryEngine(name, ENGINES[name]!);
console.log(
  failed.length === 0 ? `\nAll is well on ${names.join(", ")}.` : `\nFailed:\n  ${failed.join("\n  ")}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

async function tryEngine(name: string, { wanted, command, flags }: Engine): Promise<void> {
  const folder = join(root, ".haft/engines", wanted.replace("@", "-"));
  const bin = join(folder, "node_modules/.bin");
  if (!existsSync(join(bin, command))) {
    await installPrograms(folder, wanted);
  }
  const program = join(bin, command);
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  console.log(`\n=== ${name}: ${stdout.split("\n")[0]}`);

  const isNode = name.startsWith("node");
  const leftOut = isNode ? [] : suites.filter((test) => NODE_ALONE.has(test));
  for (const test of leftOut) console.log(`LEFT OUT  ${test}: it needs Node`);
  const here = (tests: readonly string[]) => tests.filter((test) => !leftOut.includes(test));

  const start = (args: readonly string[], cwd: string, env: NodeJS.ProcessEnv, quiet = false): boolean => {
    const { status, error, stderr } = spawnSync(program, [...flags, ...args], {
      cwd,
      env,
      encoding: "utf8",
      stdio: quiet ? ["ignore", "ignore", "pipe"] : "inherit",
    });
    if (error !== undefined) throw error;
    if (status !== 0 && quiet) console.log(stderr.slice(-LAST_WORDS));
    return status === 0;
  };
  const outside = createCleanEnvironment();
  for (const file of ["imports.mjs", "host.mjs"])
    if (!start([file], scratch, outside)) failed.push(`${name}: ${file} of what is packed`);

  const runSuites = (title: string, config: string, tests: readonly string[], more: object = {}): void => {
    const report = join(scratch, `${name}-${config}.json`);
    const vitest = [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      `--config=${config}`,
      "--no-isolate",
    ];
    const asked = ["--reporter=json", `--outputFile=${report}`, "test/engine.test.ts", ...tests];
    const env = { ...process.env, HAFT_TIER: "all", HAFT_ENGINE: name.replace(/\d+$/, ""), ...more };
    const passed = start([...vitest, ...asked], root, env, true);
    const [good, bad, skipped] = told("counts", report).split(" ");
    console.log(`${title}: ${good} tests passed, ${bad} failed, ${skipped} skipped`);
    if (!passed) console.log(told("names", report));
    if (!passed || good === "0") failed.push(`${name}: ${title}`);
  };
  runSuites(
    `${here(onPacked).length} of ${suites.length} suites, on what is packed`,
    "vitest.packed.config.ts",
    here(onPacked),
    { HAFT_PACKED: installed },
  );
  if (values.short === true) return;
  runSuites(
    `${here(suites).length} of ${suites.length} suites, on the sources`,
    "vitest.config.ts",
    here(suites),
  );
}

function told(what: "counts" | "names", report: string): string {
  const args = [join(root, "scripts/failed-tests.mjs"), what, report];
  return execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }).trim();
}
