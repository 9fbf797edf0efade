import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { realFolder } from "../../../../test/support/real-folder.ts";
import { view } from "../../../../test/support/view.ts";
import { checkCopies, checkPackage } from "../../src/check/package-checks.ts";
import { check, plugin, listProblems } from "./check-support.ts";

test.skipIf(!view.available)(
  "a correct plugin has no findings and works in a sandbox, and files of Haft and Node are not attributed to it",
  async () => {
    const execute = `await context.fetch("https://api.example.com/", { signal }); return answer;`;
    const checked = await check(plugin(execute, { effects: '["network"]' }));
    expect(listProblems(checked)).toEqual([]);
    expect(checked.seed).toBe(1);
    expect(checked.checks.map(({ check: name }) => name)).toEqual(
      expect.arrayContaining(["require", "arguments", "prints", "leaks", "sandbox"]),
    );
  },
);

test("tools cannot affect files, programs and network of the user, and attempts are reported", async () => {
  const folder = realFolder();
  const userFile = join(folder, "mine.txt");
  writeFileSync(userFile, "mine");
  const execute = `
    const tries = [
      () => fs.writeFileSync(${JSON.stringify(userFile)}, name),
      () => fs.promises.writeFile(${JSON.stringify(userFile)}, name),
      () => process.getBuiltinModule("node:child_process").execSync("rm ${userFile}"),
      () => fetch("http://127.0.0.1:9/"),
    ];
    for (const one of tries) try { await one(); } catch {}
    // In a callback, later.
    await new Promise((resolve) => setTimeout(() => { try { fs.rmSync(${JSON.stringify(folder)}, { recursive: true }); } catch {} resolve(); }));
    return answer;`;
  const problems = listProblems(await check(plugin(execute))).join("\n");
  expect(problems).toMatch(/workspace: goes around its ports: fs\.writeFileSync\(/);
  expect(problems).toMatch(/fs\/promises\.writeFile\(/);
  expect(problems).toMatch(/fs\.rmSync\(/);
  expect(problems).toMatch(/child_process\.execSync\(/);
  expect(problems).toMatch(/: fetch\("http:\/\/127\.0\.0\.1:9\/"\)/);
  expect(readFileSync(userFile, "utf8")).toBe("mine");
});

test("a package without the required metadata is reported", () => {
  const of = (manifest: object, entry = "dist/index.js") => {
    const folderOfTool = realFolder();
    mkdirSync(join(folderOfTool, "dist"), { recursive: true });
    writeFileSync(join(folderOfTool, "package.json"), JSON.stringify({ name: "haft-plugin-x", ...manifest }));
    const sdk = join(folderOfTool, "node_modules/@haft/plugin-sdk/package.json");
    return checkPackage({ file: join(folderOfTool, entry), files: { [sdk]: "" as never } }).map(
      ({ status, message }) => `${status}: ${message}`,
    );
  };
  const right = {
    version: "1.0.0",
    description: "Does x.",
    license: "MIT",
    keywords: ["haft-plugin"],
    files: ["dist"],
    peerDependencies: { "@haft/plugin-sdk": "*" },
  };
  expect(of(right)).toEqual(["ok: package.json says what others need."]);
  expect(of({ private: true })).toEqual([]);
  expect(of({ ...right, files: ["lib"] })).toEqual([
    expect.stringMatching(/^problem: dist\/index\.js is not among/),
  ]);
  expect(of({ ...right, files: ["dist/"] })).toEqual([expect.stringMatching(/^ok/)]);
  expect(of({ ...right, peerDependencies: {} })).toEqual([
    expect.stringMatching(/^warning: it uses @haft\/plugin-sdk/),
  ]);
  expect(of({ ...right, files: undefined })).toEqual([
    expect.stringMatching(/^warning: everything in its folder/),
  ]);
  expect(of(right, "dist/index.ts")).toEqual([expect.stringMatching(/^problem: .*is TypeScript/)]);
  expect(of({})).toHaveLength(6);
});

test("two copies of the SDK are reported with their paths", () => {
  const files = (...paths: string[]) => ({
    files: Object.fromEntries(paths.map((path) => [path, "" as never])),
  });
  const one = "/p/node_modules/@haft/core/dist/index.js";
  expect(checkCopies(files(one, "/p/node_modules/@haft/core/package.json"))).toMatchObject([
    { status: "ok" },
  ]);
  expect(checkCopies(files(one, "/p/node_modules/a/node_modules/@haft/core/dist/index.js"))).toMatchObject([
    { status: "problem", message: expect.stringContaining("/p/node_modules/a/node_modules/@haft/core") },
  ]);
});
