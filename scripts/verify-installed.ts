// Checks the packages as installed by users from tarballs: imports, types and starts. verify-package.ts
// checks each alone.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { check, expectNone, finish, need } from "./lib/checks.ts";
import { consumerSetups, everyImport, LIBRARY_TYPES, TWO_COPIES } from "./lib/consumer-programs.ts";
import { listInstalled } from "./lib/installed-size.ts";
import { LONGEST_LINE } from "./lib/line-limit.ts";
import { oldestNode, getNodePackage, packedFolder } from "./lib/packed.ts";
import { fingerprint, installedFiles, PLANTING_SCRIPT, plantingCalls } from "./lib/plant-code.ts";
import { installWithPnpm } from "./lib/pnpm-installation.ts";
import { PLUGIN_HOST, INITIALIZE, quickStart } from "./lib/quick-start.ts";
import { BUDGETS, findBudgetProblems, sizeText } from "./lib/size-budget.ts";
import { entryPoints, createCleanEnvironment, publicPackages, root, run } from "./lib/workspace.ts";

const packages = publicPackages();
const scratch = mkdtempSync(join(tmpdir(), "haft-packages-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const outside = createCleanEnvironment();

// Some checks try to change installed files, so they use a copy.
const consumer = join(scratch, "consumer");
await need("the packages are installed", () => {
  const filter = (path: string) => !path.includes(`/node_modules/${getNodePackage()}`);
  cpSync(packedFolder(), consumer, { recursive: true, verbatimSymlinks: true, filter });
});

await check("the lockfile names no host", () => {
  const lines = readFileSync(join(root, "pnpm-lock.yaml"), "utf8").split("\n");
  expectNone(lines.filter((line) => /https?:|tarball:|registry\./.test(line)));
});

for (const { name } of packages) {
  const parts = listInstalled(name, consumer);
  await check(`${name}: ${sizeText(parts)}`, () =>
    expectNone(findBudgetProblems(name, parts, BUDGETS[name])),
  );
}

for (const pkg of packages) {
  for (const { specifier } of entryPoints(pkg)) {
    await check(`import "${specifier}"`, async () => {
      const code = `const m = await import(${JSON.stringify(specifier)}); console.log(Object.keys(m).length);`;
      const names = await run(process.execPath, ["--input-type=module", "-e", code], {
        cwd: consumer,
        env: outside,
      });
      if (Number(names) === 0) throw new Error("it exports nothing");
    });
  }
}

// An author may have another TypeBox than Haft's packages.
const typebox = join(consumer, "node_modules/@sinclair/typebox");
mkdirSync(dirname(typebox), { recursive: true });
symlinkSync(realpathSync(join(root, "packages/plugin-sdk/node_modules/@sinclair/typebox")), typebox);
const specifiers = packages.flatMap(entryPoints).map(({ specifier }) => specifier);
const ofLibraries = (specifier: string) => LIBRARY_TYPES.includes(specifier);
writeFileSync(
  join(consumer, "main.ts"),
  everyImport(specifiers.filter((specifier) => !ofLibraries(specifier))),
);
writeFileSync(join(consumer, "libraries.ts"), everyImport(specifiers.filter(ofLibraries)));
writeFileSync(join(consumer, "plugin.ts"), TWO_COPIES);
await Promise.all(
  consumerSetups().map(({ title, compiler, options }, index) =>
    check(`every entry point, and a plugin with either copy of TypeBox, compile: ${title}`, async () => {
      const compilerOptions = { ...options, outDir: join(scratch, `compiled-${index}`) };
      const project = join(consumer, `tsconfig.${index}.json`);
      writeFileSync(project, JSON.stringify({ compilerOptions, files: ["main.ts", "plugin.ts"] }));
      await run(compiler, ["-p", project]);
    }),
  ),
);
await check(`${LIBRARY_TYPES.join(" and ")} compile beside the types of Node and of browsers`, async () => {
  const { compiler, options } = consumerSetups().at(-1)!;
  const compilerOptions = { ...options, skipLibCheck: true, noEmit: true };
  const project = join(consumer, "tsconfig.libraries.json");
  writeFileSync(project, JSON.stringify({ compilerOptions, files: ["libraries.ts"] }));
  await run(compiler, ["-p", project]);
});

// Uses the oldest Node, with only the packages.
const oldest = join(packedFolder(), "node_modules", getNodePackage(), "bin/node");
// Programs have no entry point.
for (const { name, folder } of packages.filter((pkg) => entryPoints(pkg).length > 0)) {
  await check(`the quick start of ${name} runs on Node ${oldestNode()}`, async () => {
    const sample = quickStart(readFileSync(join(root, folder, "README.md"), "utf8"));
    if (sample === undefined) throw new Error(`${folder}/README.md has none.`);
    writeFileSync(join(consumer, "sample.ts"), sample);
    const isPlugin = /^export default definePlugin/m.test(sample);
    if (isPlugin) writeFileSync(join(consumer, "host.ts"), PLUGIN_HOST);
    const input = sample.includes("serveStdio(") ? INITIALIZE : "";
    const shown = await run(oldest, [isPlugin ? "host.ts" : "sample.ts"], {
      cwd: consumer,
      env: outside,
      input,
    });
    if (shown.trim() === "") throw new Error("It shows nothing.");
  });
}

await check("so does that of @haft/tools-fs where pnpm installed it, and its types compile", async () => {
  const name = "@haft/tools-fs";
  const folder = join(scratch, "pnpm");
  await installWithPnpm(folder, name, packages);
  const pkg = packages.find((each) => each.name === name)!;
  writeFileSync(
    join(folder, "sample.ts"),
    quickStart(readFileSync(join(root, pkg.folder, "README.md"), "utf8")) ?? "",
  );
  const shown = await run(oldest, ["sample.ts"], { cwd: folder, env: outside });
  if (!shown.includes("kind: 'ok'")) throw new Error(shown);
  const { compiler, options } = consumerSetups()[0]!;
  writeFileSync(join(folder, "main.ts"), everyImport(entryPoints(pkg).map(({ specifier }) => specifier)));
  const compilerOptions = { ...options, noEmit: true };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  await run(compiler, ["-p", folder]);
});

// Without it, a shell would run the file as its script.
await need("commands start with #!/usr/bin/env node", () => {
  const files = packages.flatMap(({ folder, manifest }) =>
    Object.values(manifest.publishConfig?.bin ?? {}).map((path) => join(folder, path)),
  );
  expectNone(
    files.filter((path) => !readFileSync(join(root, path), "utf8").startsWith("#!/usr/bin/env node\n")),
  );
});

/** A file's source in an installed package's maps. */
function sourceOf(file: string): string {
  const [, name, path] = /\/node_modules\/((?:@haft\/)?[\w-]+)\/(src\/.+)$/.exec(file) ?? [];
  const pkg = packages.find((each) => each.name === name);
  return pkg === undefined ? "" : readFileSync(join(root, pkg.folder, path!), "utf8");
}

// Without a reader, text beyond the pipe's size would be lost.
await check("an uncaught error arrives whole through a pipe", async () => {
  writeFileSync(
    join(consumer, "uncaught.js"),
    'import { createHost } from "haft";\nawait createHost({ stateDir: false, policy: { allwo: ["read"] } });\n',
  );
  const node = `"${process.execPath}" --enable-source-maps`;
  const said = await Promise.all(
    [`"${process.execPath}"`, node].map((command) =>
      run("sh", ["-c", `${command} uncaught.js 2>&1 >/dev/null | (sleep 1; cat)`], {
        cwd: consumer,
        env: outside,
      }),
    ),
  );
  for (const text of said) {
    const needed = [
      /^HaftError: .*allwo: There is no such key.*Did you mean "allow"\?$/m,
      /^ {2}code: 'POLICY_INVALID',$/m,
      /^ {2}fix: 'Correct allwo in the policy. /m,
      /^Node\.js v/m,
    ];
    const missing = needed.filter((each) => !each.test(text)).map((each) => `not found: ${each.source}`);
    if (text.length > 3 * LONGEST_LINE) missing.push(`${text.length} characters`);
    if (missing.length > 0) throw new Error(`${missing.join("\n")}\n${text.slice(-2000)}`);
  }
  // The maps find the throwing line.
  const [, file = "", line = ""] = /\((?:file:\/\/)?(\/[^()]*\.ts):(\d+):\d+\)/.exec(said[1]!) ?? [];
  const thrower = sourceOf(file).split("\n")[Number(line) - 1] ?? "";
  if (!thrower.includes("new HaftError(")) throw new Error(`${file}:${line} is ${JSON.stringify(thrower)}`);
});

// Commands start like a user's, with the repository's Node.
const nodeFolder = join(scratch, "bin");
mkdirSync(nodeFolder);
symlinkSync(process.execPath, join(nodeFolder, "node"));
const asUser = {
  cwd: consumer,
  env: { ...outside, PATH: `${nodeFolder}:${outside["PATH"]}` },
  limitMs: 30_000,
};

for (const command of packages.flatMap(({ manifest }) => Object.keys(manifest.bin ?? {}))) {
  await check(`npx ${command} --help`, async () => {
    const help = await run("npx", ["--no-install", command, "--help"], asUser);
    if (help.trim() === "") throw new Error("it prints nothing");
  });
}

// The wrapped node:child_process starts the program for the version.
await check("npx haft sandbox doctor knows the version of bubblewrap", async () => {
  const text = await run("npx", ["--no-install", "haft", "sandbox", "doctor"], asUser).catch(
    (error: unknown) => String(error),
  );
  if (!/^ {2}version +bubblewrap \d/m.test(text)) throw new Error(text);
});

await check("npx haft run answers calls", async () => {
  const calls = [
    { name: "write", arguments: { path: "notes/a.txt", content: "one\ntwo\n" } },
    { name: "edit", arguments: { path: "notes/a.txt", oldText: "two", newText: "three" } },
    { name: "read", arguments: { path: "notes/a.txt" } },
  ];
  const input = calls.map((call) => `${JSON.stringify(call)}\n`).join("");
  const output = await run("npx", ["--no-install", "haft", "run", "--json"], { ...asUser, input });
  const answers = output.trimEnd().split("\n");
  const isRight = answers.length === calls.length && answers.every((line) => line.includes('"kind":"ok"'));
  const written = readFileSync(join(consumer, "notes/a.txt"), "utf8");
  if (!isRight || written !== "one\nthree\n")
    throw new Error(`${output}\nwritten: ${JSON.stringify(written)}`);
});

const installed = installedFiles(consumer);
const unchanged = fingerprint(consumer, installed);
const expectUnchanged = (output: string) => {
  const now = installedFiles(consumer);
  if (now.join() === installed.join() && fingerprint(consumer, now) === unchanged) return;
  throw new Error(`the installation was changed:\n${output}`);
};

await check("no file tool changes the installation it is served by", async () => {
  writeFileSync(join(consumer, "planted.js"), "evil\n");
  const calls = plantingCalls(installed);
  const input = calls.map((call) => `${JSON.stringify(call)}\n`).join("");
  const options = { ...asUser, input, limitMs: 300_000 };
  const output = await run("npx", ["--no-install", "haft", "run", "--json"], options);
  expectUnchanged(output);
  const refused = output.split("\n").filter((line) => /"kind":"error".*"receipt":"none"/.test(line));
  if (refused.length !== calls.length) throw new Error(`${refused.length} of ${calls.length} were refused`);
});

await check("nor does a command in a sandbox", async () => {
  const call = { name: "exec", arguments: { command: PLANTING_SCRIPT } };
  const session = ["--session", "sandboxed", "--sandbox", "bubblewrap", "--sandbox-access", "rw"];
  const options = { ...asUser, input: `${JSON.stringify(call)}\n`, limitMs: 120_000 };
  const output = await run("npx", ["--no-install", "haft", "run", "--json", ...session], options);
  expectUnchanged(output);
  if (!output.includes('"kind":"ok"')) throw new Error(output);
});

await finish();
