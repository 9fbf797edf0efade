// Plays the first ten minutes of consumers, hosts, operators, plugin authors, and users of plugins and
// configurations. Each types on a terminal, with empty folders and packed packages, and is checked and
// recorded. Pack first (npm run verify:packages).
//
// npm run first-contact -- [--node 22]… [--with npm|pnpm]… [--only consumer|host|operator|author|plugins]… [--out DIR]
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { author } from "./lib/first-author.ts";
import { consumer, host, operator, type Manager } from "./lib/first-minutes.ts";
import { plugins } from "./lib/first-plugin.ts";
import { requireTarball } from "./lib/packed.ts";
import { installNode } from "./lib/program-versions.ts";
import { playSteps } from "./lib/terminal-recorder.ts";
import { createCleanEnvironment, publicPackages, root } from "./lib/workspace.ts";

const STORIES = { consumer, host, operator, author, plugins };
const NODES = ["22", "24", "26"];
const MANAGERS = ["npm", "pnpm"] as const;

const { values } = parseArgs({
  options: {
    node: { type: "string", multiple: true, default: NODES },
    with: { type: "string", multiple: true, default: [...MANAGERS] },
    only: { type: "string", multiple: true, default: Object.keys(STORIES) },
    out: { type: "string", default: join(root, ".haft/first-contact") },
  },
});

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-first-contact-")));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const packages = publicPackages();
const packed = join(scratch, "packed");
mkdirSync(packed);
const tarballOf = (name: string): string => join(packed, `${name.replace("@", "").replace("/", "-")}.tgz`);
for (const { name, folder } of packages) copyFileSync(requireTarball(folder), tarballOf(name));
const outside = createCleanEnvironment();

let failed = 0;
for (const node of values.node) {
  const programs = await installNode(join(scratch, `node-${node}`), node);
  for (const manager of MANAGERS.filter((name) => values.with.includes(name)))
    for (const [name, story] of Object.entries(STORIES).filter(([each]) => values.only.includes(each)))
      failed += await play(name, story, manager, node, programs);
}
process.exitCode = failed === 0 ? 0 : 1;

/** Plays a story in its own home folder. */
async function play(
  name: string,
  story: (manager: Manager) => ReturnType<typeof consumer>,
  managerName: Manager["name"],
  node: string,
  programs: string,
): Promise<number> {
  const home = join(scratch, `home-${name}-${managerName}-${node}`);
  mkdirSync(home);
  const transcript = join(values.out, `${name}-node${node}-${managerName}.txt`);
  const kept = Object.entries(outside).filter(([key]) => key.startsWith("npm_config_"));
  const env = {
    ...Object.fromEntries(kept.map(([key, value]) => [key, value ?? ""])),
    HOME: home,
    PATH: `${programs}:/usr/bin:/bin`,
    LANG: "C.UTF-8",
    HAFT_CREATE_PACKAGES: JSON.stringify(
      Object.fromEntries(packages.map(({ name: each }) => [each, `file:${tarballOf(each)}`])),
    ),
    npm_config_update_notifier: "false",
    npm_config_fund: "false",
    npm_config_audit: "false",
    npm_config_progress: "false",
    npm_config_loglevel: "error",
    ...(process.env["npm_config_userconfig"] === undefined && process.env["HOME"] !== undefined
      ? { npm_config_userconfig: join(process.env["HOME"], ".npmrc") }
      : {}),
  };
  const manager = managerName === "npm" ? npm() : pnpm(home);
  const began = Date.now();
  const steps = story(manager);
  const hidden = new Map([
    [home, "~"],
    [packed, "packed"],
    [scratch, "…"],
  ]);
  const played = await playSteps(steps, { cwd: home, env, transcript, hidden });
  const wrong = played.flatMap(({ step, problems }) =>
    problems.map((problem) => `  ${step.title}: ${problem}`),
  );
  const seconds = Math.round((Date.now() - began) / 1000);
  const good = played.filter(({ problems }) => problems.length === 0).length;
  console.log(
    `${wrong.length === 0 ? "✓" : "✗"} ${name}, Node ${node}, ${managerName}: ${good} of ${steps.length} steps, ${seconds} s`,
  );
  for (const line of wrong) console.log(line);
  for (const { shown } of played) {
    const [measured] = /create to first green test: \d+ s(?=\s)/.exec(shown) ?? [];
    if (measured !== undefined) console.log(`  ${measured}`);
  }
  return wrong.length;
}

/** Returns a package's Haft packages, whose tarballs are installed together, because no registry has them. */
function withNeeds(names: readonly string[]): string[] {
  const all = new Set<string>();
  const add = (name: string): void => {
    const found = packages.find((pkg) => pkg.name === name);
    if (found === undefined || all.has(name)) return;
    all.add(name);
    for (const needed of Object.keys(found.manifest.dependencies ?? {})) add(needed);
  };
  names.forEach(add);
  return [...all];
}

function npm(): Manager {
  return {
    name: "npm",
    install: (...names) => `npm install ${withNeeds(names).map(tarballOf).join(" ")}`,
    haft: "npx haft",
  };
}

function pnpm(home: string): Manager {
  const overrides = Object.fromEntries(packages.map(({ name }) => [name, `file:${tarballOf(name)}`]));
  writeFileSync(join(home, "overrides.yaml"), `${JSON.stringify({ overrides })}\n`);
  return {
    name: "pnpm",
    install: (...names) =>
      `cp ../overrides.yaml pnpm-workspace.yaml; pnpm add ${names.map((name) => `file:${tarballOf(name)}`).join(" ")}`,
    haft: "pnpm exec haft",
  };
}
