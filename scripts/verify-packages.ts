// Looks at the packages the way a user gets them: built, packed, installed from the tarballs into
// an empty folder, imported, type-checked and started.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { check, expectNone, finish, need } from "./lib/checks.ts";
import { importedPackages } from "./lib/imported-packages.ts";
import { LONGEST_LINE } from "./lib/line-limit.ts";
import { fingerprint, installedFiles, PLANTING_SCRIPT, plantingCalls } from "./lib/plant-code.ts";
import { entryPoints, outsideEnvironment, pnpm, publicPackages, root, run, tool } from "./lib/workspace.ts";

const packages = publicPackages();
const scratch = mkdtempSync(join(tmpdir(), "haft-packages-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

await check("the lockfile names no host", () => {
  const lines = readFileSync(join(root, "pnpm-lock.yaml"), "utf8").split("\n");
  expectNone(lines.filter((line) => /https?:|tarball:|registry\./.test(line)));
});

await need("build from nothing", async () => {
  for (const { folder } of packages) rmSync(join(root, folder, "dist"), { recursive: true, force: true });
  await pnpm("exec", "turbo", "run", "build", "--output-logs=errors-only");
});

interface Tarball {
  name: string;
  filename: string;
  files: { path: string }[];
}

const tarballs = await need("pack", async () => {
  const filters = packages.map(({ name }) => `--filter=${name}`);
  const answer = await pnpm("--silent", ...filters, "pack", "--json", "--pack-destination", scratch);
  const packed = JSON.parse(answer) as Tarball[];
  return new Map(packed.map((tarball) => [tarball.name, tarball]));
});

for (const pkg of packages) {
  const { name, folder, manifest } = pkg;
  const { filename = "", files = [] } = tarballs.get(name) ?? {};

  await check(`${name}: the tarball holds what it should`, () => {
    const paths = files.map(({ path }) => path);
    const commands = Object.values(manifest.publishConfig?.bin ?? {});
    const built = [...commands, ...entryPoints(pkg).map(({ types }) => types)].map((path) =>
      path.replace("./", ""),
    );
    const missing = ["LICENSE", "README.md", ...built].filter((path) => !paths.includes(path));
    const allowed = /^(LICENSE|README\.md|CHANGELOG\.md|package\.json|(dist|src|template)\/.+)$/;
    const data = manifest.files.filter((file) => file.endsWith(".json"));
    const surplus = paths.filter(
      (path) =>
        (!allowed.test(path) && !data.includes(path)) ||
        /^(dist|src)\/(.*\/)?(test|node_modules)\//.test(path),
    );
    expectNone([
      ...missing.map((path) => `missing: ${path}`),
      ...surplus.map((path) => `does not belong: ${path}`),
    ]);
  });

  await check(`${name}: what is built imports only what is installed with it`, () => {
    const own = [name, ...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })];
    const foreign = files.flatMap(({ path }) =>
      /^dist\/.*\.(js|d\.ts)$/.test(path)
        ? importedPackages(readFileSync(join(root, folder, path), "utf8"))
            .filter((imported) => !own.includes(imported))
            .map((imported) => `${path} imports ${imported}`)
        : [],
    );
    expectNone([...new Set(foreign)]);
  });

  await check(`${name}: what is built has lines`, () => {
    const long = files.flatMap(({ path }) => {
      if (!/^dist\/.*\.js$/.test(path)) return [];
      const lines = readFileSync(join(root, folder, path), "utf8").split("\n");
      const longest = Math.max(...lines.map(({ length }) => length));
      return longest > LONGEST_LINE ? [`${path} has a line of ${longest} characters`] : [];
    });
    expectNone(long);
  });

  await check(`${name}: publint`, async () => {
    const tarball = new Uint8Array(readFileSync(filename)).buffer;
    const found = await publint({ pack: { tarball }, strict: true });
    expectNone(found.messages.map((message) => formatMessage(message, found.pkg) ?? message.code));
  });

  await check(`${name}: types resolve (attw)`, () =>
    tool("attw", filename, "--profile", "esm-only", "--no-color", "--no-emoji"),
  );
}

const consumer = join(scratch, "consumer");
const outside = outsideEnvironment();
await need("npm installs the tarballs into an empty folder", async () => {
  mkdirSync(consumer);
  writeFileSync(join(consumer, "package.json"), '{ "private": true, "type": "module" }\n');
  const files = [...tarballs.values()].map(({ filename }) => filename);
  await run("npm", ["install", "--no-audit", "--no-fund", ...files], { cwd: consumer, env: outside });
});

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

await check("a strict program compiles against every entry point", async () => {
  const specifiers = packages.flatMap(entryPoints).map(({ specifier }) => specifier);
  const imports = specifiers.map((specifier, i) => `import * as m${i} from "${specifier}";\nvoid m${i};\n`);
  writeFileSync(join(consumer, "main.ts"), imports.join(""));
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    noEmit: true,
    typeRoots: [join(root, "node_modules/@types")],
    types: ["node"],
  };
  writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  await tool("tsc", "-p", consumer);
});

// Without its first line a shell would take the file for a script of its own, and run it word by word.
await need("commands start with #!/usr/bin/env node", () => {
  const files = packages.flatMap(({ folder, manifest }) =>
    Object.values(manifest.publishConfig?.bin ?? {}).map((path) => join(folder, path)),
  );
  expectNone(
    files.filter((path) => !readFileSync(join(root, path), "utf8").startsWith("#!/usr/bin/env node\n")),
  );
});

// Nobody reads while it is written: what does not fit into the pipe is lost.
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
      /^ {2}fix: 'Correct allwo in the policy; /m,
      /^Node\.js v/m,
    ];
    const missing = needed.filter((each) => !each.test(text)).map((each) => `not found: ${each.source}`);
    if (text.length > 3 * LONGEST_LINE) missing.push(`${text.length} characters`);
    if (missing.length > 0) throw new Error(`${missing.join("\n")}\n${text.slice(-2000)}`);
  }
  // The maps lead to where it was thrown.
  const [, file = "", line = ""] = /\((?:file:\/\/)?(\/[^()]*\.ts):(\d+):\d+\)/.exec(said[1]!) ?? [];
  const thrower = file === "" ? "" : (readFileSync(file, "utf8").split("\n")[Number(line) - 1] ?? "");
  if (!thrower.includes("new HaftError(")) throw new Error(`${file}:${line} is ${JSON.stringify(thrower)}`);
});

// Commands are started as their users start them, but by the repository's Node.
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
