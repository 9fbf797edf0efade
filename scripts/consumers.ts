// Tries the packed packages with each package manager and Node, `import` and `require()`, and each supported
// TypeScript version. Prints a table. Pack first (npm run verify:packages).
//
// npm run consumers -- [--node 22]… [--with npm|pnpm]… [--typescript 5.7]…
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compileSetups, installPackages, PROGRAMS, type Manager } from "./lib/consumer-matrix.ts";
import { requireTarball } from "./lib/packed.ts";
import { installNode, installPrograms } from "./lib/program-versions.ts";
import { createCleanEnvironment, publicPackages, run } from "./lib/workspace.ts";

const NODES = ["22", "24", "26"];
const MANAGERS: readonly Manager[] = ["npm", "pnpm"];
const COMPILERS = ["5.7", "5.8", "5.9", "6", "7"];

const { values } = parseArgs({
  options: {
    node: { type: "string", multiple: true, default: NODES },
    with: { type: "string", multiple: true, default: [...MANAGERS] },
    typescript: { type: "string", multiple: true, default: COMPILERS },
  },
});
const managers = MANAGERS.filter((name) => values.with.includes(name));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-consumers-")));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const packages = publicPackages();
const packed = join(scratch, "packed");
mkdirSync(packed);
const tarballs = new Map(
  packages.map(({ name, folder }) => {
    const from = requireTarball(folder);
    const to = join(packed, `${name.replace("@", "").replace("/", "-")}.tgz`);
    copyFileSync(from, to);
    return [name, to];
  }),
);

const failures: string[] = [];
const rows: string[][] = [];

/** Prints a table line when its result is known. */
async function row(title: string, tries: readonly ((() => Promise<unknown>) | undefined)[]): Promise<void> {
  const cells: string[] = [];
  for (const [index, attempt] of tries.entries()) {
    if (attempt === undefined) {
      cells.push("–");
      continue;
    }
    try {
      await attempt();
      cells.push("ok");
    } catch (error) {
      failures.push(`${title}, column ${index + 1}: ${(error as Error).message}`);
      cells.push("FAILED");
    }
  }
  rows.push([title, ...cells]);
}

const table = (columns: readonly string[]): void => {
  const all = [["", ...columns], ...rows.splice(0)];
  const widths = all[0]!.map((_, index) => Math.max(...all.map((cells) => cells[index]!.length)));
  console.log(
    all
      .map((cells) =>
        cells
          .map((cell, i) => cell.padEnd(widths[i]! + 2))
          .join("")
          .trimEnd(),
      )
      .join("\n"),
  );
  console.log("");
};

const projects = new Map<Manager, string>();
for (const manager of managers) {
  const folder = join(scratch, manager);
  await installPackages(manager, folder, tarballs);
  projects.set(manager, folder);
}

const nodes = new Map<string, string>();
for (const version of values.node) {
  nodes.set(version, join(await installNode(join(scratch, `node-${version}`), version), "node"));
}
const places = [...nodes].flatMap(([version, node]) =>
  managers.map((manager) => ({ title: `${version} ${manager}`, node, folder: projects.get(manager)! })),
);
for (const [title, file] of Object.entries(PROGRAMS(packages))) {
  await row(
    title,
    places.map(({ node, folder }) => async () => {
      const said = await run(node, [file.write(folder)], { cwd: folder, env: createCleanEnvironment() });
      if (said.trim() !== file.says) throw new Error(`it says ${JSON.stringify(said)}`);
    }),
  );
}
if (places.length > 0) table(places.map(({ title }) => `Node ${title}`));

const [project] = projects.values();
const compilers: { version: string; tsc: string }[] = [];
for (const version of values.typescript) {
  const bin = await installPrograms(join(scratch, `typescript-${version}`), `typescript@${version}`);
  const manifest = readFileSync(join(bin, "../typescript/package.json"), "utf8");
  compilers.push({ version: (JSON.parse(manifest) as { version: string }).version, tsc: join(bin, "tsc") });
}
for (const setup of project === undefined ? [] : compileSetups(packages)) {
  await row(
    setup.title,
    compilers.map(({ version, tsc }) =>
      setup.knownTo(version)
        ? () => run(tsc, ["-p", setup.write(project!, version)], { cwd: project! })
        : undefined,
    ),
  );
}
if (compilers.length > 0) table(compilers.map(({ version }) => `TypeScript ${version}`));

for (const failure of failures) console.log(`${failure}\n`);
console.log(failures.length === 0 ? "Everything works." : `${failures.length} failed.`);
process.exitCode = failures.length === 0 ? 0 : 1;
