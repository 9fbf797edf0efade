// Looks at the packages the way a user gets them: built, packed, installed from the tarballs into
// an empty folder, imported, type-checked and started.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { check, expectNone, finish, need } from "./lib/checks.mjs";
import { entryPoints, outsideEnvironment, pnpm, publicPackages, root, run, tool } from "./lib/workspace.mjs";

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

const tarballs = await need("pack", async () => {
  const filters = packages.map(({ name }) => `--filter=${name}`);
  const packed = JSON.parse(
    await pnpm("--silent", ...filters, "pack", "--json", "--pack-destination", scratch),
  );
  const byName = new Map([packed].flat().map((tarball) => [tarball.name, tarball]));
  return packages.map(({ name }) => byName.get(name));
});

for (const [index, { name, manifest }] of packages.entries()) {
  const { filename } = tarballs[index];
  const files = tarballs[index].files.map(({ path }) => path);

  await check(`${name}: the tarball holds what it should`, () => {
    const commands = Object.values(manifest.publishConfig?.bin ?? {}).map((path) => path.replace("./", ""));
    const expected = [
      "LICENSE",
      "README.md",
      "dist/index.js",
      "dist/index.d.ts",
      "src/index.ts",
      ...commands,
    ];
    const missing = expected.filter((path) => !files.includes(path));
    const allowed = /^(LICENSE|README\.md|CHANGELOG\.md|package\.json|(dist|src|template)\/.+)$/;
    const surplus = files.filter((path) => !allowed.test(path) || /(^|\/)(test|node_modules)\//.test(path));
    expectNone([
      ...missing.map((path) => `missing: ${path}`),
      ...surplus.map((path) => `does not belong: ${path}`),
    ]);
  });

  await check(`${name}: publint`, async () => {
    const bytes = readFileSync(filename);
    const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expectNone(messages.map((message) => formatMessage(message, pkg)));
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
  const files = tarballs.map(({ filename }) => filename);
  await run("npm", ["install", "--no-audit", "--no-fund", ...files], { cwd: consumer, env: outside });
});

for (const pkg of packages) {
  for (const specifier of entryPoints(pkg)) {
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
  const specifiers = packages.flatMap(entryPoints);
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

for (const { manifest } of packages) {
  for (const command of Object.keys(manifest.bin ?? {})) {
    await check(`npx ${command} --help`, async () => {
      // The command is started as its users start it, but by the repository's Node.
      const bin = join(consumer, "node");
      writeFileSync(bin, `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
      chmodSync(bin, 0o755);
      const env = { ...outside, PATH: `${consumer}:${outside.PATH}` };
      const help = await run("npx", ["--no-install", command, "--help"], { cwd: consumer, env });
      if (help.trim() === "") throw new Error("it prints nothing");
    });
  }
}

finish();
