import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

// The arrows between packages are held by lint rules. This holds the rules.
const root = join(import.meta.dirname, "..");

/** File, its import, and whether that is allowed. */
const cases: [file: string, statement: string, allowed: boolean][] = [
  ["packages/core/src/a.ts", 'import "@haft/policy";', false],
  ["packages/core/src/b.ts", 'import type { Policy } from "@haft/policy";', false],
  ["packages/core/src/c.ts", 'import { Type } from "@sinclair/typebox";', false],
  ["packages/core/src/d.ts", 'import type { TSchema } from "@sinclair/typebox";', false],
  ["packages/core/src/format/e.ts", 'import "../../../policy/src/index.ts";', false],
  ["packages/core/test/stages/f.test.ts", 'import "../../src/index.ts";', true],
  ["packages/core/test/g.test.ts", 'import "@haft/workspace";', false],
  ["packages/core/test/h.test.ts", 'import { Type } from "@sinclair/typebox";', true],
  ["packages/adapters/src/a.ts", 'import type { Session } from "@haft/core/kernel";', true],
  ["packages/adapters/src/b.ts", 'import "@haft/policy";', false],
  ["packages/adapters/test/c.test.ts", 'import "@haft/policy";', true],
  ["packages/commands/src/a.ts", 'import "@haft/core";', true],
  ["packages/commands/src/b.ts", 'import "@haft/policy";', false],
  ["packages/otel/src/a.ts", 'import "@haft/core/kernel";', true],
  ["packages/otel/src/b.ts", 'import "@haft/workspace";', false],
  ["packages/policy/src/a.ts", 'import "@haft/core";', true],
  ["packages/policy/src/b.ts", 'import "@haft/plugin-sdk";', false],
  ["packages/plugin-sdk/src/a.ts", 'import "@haft/workspace";', false],
  ["packages/plugin-sdk/src/testing/b.ts", 'await import("@haft/workspace");', true],
  ["packages/plugin-sdk/src/testing/c.ts", 'import "@haft/tools-fs";', false],
  ["packages/workspace/src/a.ts", 'import "@haft/policy";', false],
  ["packages/sandbox/src/a.ts", 'import "@haft/workspace/internal/wire";', true],
  ["packages/sandbox/src/b.ts", 'import "@haft/tools-exec";', false],
  ["packages/store/src/a.ts", 'import "@haft/system";', true],
  ["packages/store/src/b.ts", 'import "@haft/sandbox";', false],
  ["packages/nodes/src/a.ts", 'import "@haft/system";', true],
  ["packages/nodes/src/b.ts", 'import "@haft/plugin-sdk";', true],
  ["packages/nodes/src/c.ts", 'import "@haft/store";', false],
  ["packages/guard/src/a.ts", 'import "@haft/policy";', true],
  ["packages/guard/src/b.ts", 'import "@haft/commands";', true],
  ["packages/guard/src/c.ts", 'import "@haft/history";', false],
  ["packages/guard/src/d.ts", 'import "@haft/store";', false],
  ["packages/config/src/a.ts", 'import "@haft/policy";', true],
  ["packages/config/src/b.ts", 'import "@haft/host";', false],
  ["packages/plugin-loader/src/a.ts", 'import "@haft/config/internal/boundary";', true],
  ["packages/plugin-loader/src/b.ts", 'import "@haft/host";', false],
  ["packages/host/src/a.ts", 'import "@haft/plugin-loader";', true],
  ["packages/host/src/b.ts", 'import "@haft/guard";', false],
  ["packages/host/src/c.ts", 'import "@haft/inspector";', false],
  ["packages/history/src/a.ts", 'import "@haft/host";', true],
  ["packages/history/src/b.ts", 'import "@haft/guard";', false],
  ["packages/tools-fs/src/a.ts", 'import "@haft/plugin-sdk";', true],
  ["packages/tools-exec/src/a.ts", 'import "@haft/commands";', true],
  ["packages/tools-fs/src/b.ts", 'import "@haft/policy";', false],
  ["packages/tools-fs/src/core.ts", 'import { defineTool } from "@haft/core";', false],
  ["packages/tools-fs/src/core-type.ts", 'import type { Tool } from "@haft/core";', false],
  ["packages/tools-exec/src/kernel.ts", 'import type { Session } from "@haft/core/kernel";', false],
  ["packages/tools-exec/test/core.test.ts", 'import "@haft/core";', true],
  ["packages/tools-fs/src/c.ts", 'import { openWorkspace } from "@haft/workspace";', false],
  ["packages/tools-fs/src/d.ts", 'import type { HostWorkspace } from "@haft/workspace";', true],
  ["packages/tools-fs/test/e.test.ts", 'import "@haft/workspace";', true],
  ["packages/tools-fs/test/f.test.ts", 'import "haft";', false],
  ["packages/haft-plugin-web/src/a.ts", 'import "@haft/plugin-sdk";', true],
  ["packages/haft-plugin-web/src/b.ts", 'import "@haft/workspace";', false],
  ["packages/mcp/src/a.ts", 'import "haft";', false],
  ["packages/mcp/src/b.ts", 'import "@haft/plugin-sdk";', true],
  ["packages/mcp/src/c.ts", 'import "@haft/store";', false],
  ["packages/chat/src/a.ts", 'import "@haft/adapters/ai-sdk";', true],
  ["packages/chat/src/b.ts", 'import "@haft/store";', false],
  ["packages/inspector/src/a.ts", 'import "@haft/core/kernel";', true],
  ["packages/inspector/src/b.ts", 'import "@haft/guard";', true],
  ["packages/inspector/src/c.ts", 'import "@haft/adapters";', false],
  ["packages/haft/src/a.ts", 'import "@haft/tools-fs";', true],
  ["packages/haft/src/b.ts", 'import "../../core/src/index.ts";', false],
  ["apps/demo/src/a.ts", 'import "haft";', true],
  ["apps/demo/src/b.ts", 'import "@haft/core";', true],
  ["apps/demo/src/c.ts", 'import { nearestNames } from "@haft/core/internal";', false],
  ["apps/demo/src/d.ts", 'import type { SessionWorkspace } from "@haft/workspace/internal/places";', false],
  ["examples/a.ts", 'import { runProgram } from "@haft/system";', true],
  ["examples/b.ts", 'import { prepareGroup } from "@haft/workspace/internal/places";', false],
  ["packages/tools-fs/src/e.ts", 'import { runProgram } from "@haft/system";', true],
  ...[
    "core",
    "commands",
    "policy",
    "workspace",
    "sandbox",
    "store",
    "nodes",
    "tools-exec",
    "guard",
    "mcp",
    "chat",
    "inspector",
    "haft",
  ].flatMap((name): typeof cases => [
    [`packages/${name}/src/start.ts`, 'import { spawn } from "node:child_process";', false],
    [`packages/${name}/src/type.ts`, 'import type { ChildProcess } from "node:child_process";', true],
  ]),
  ["packages/system/src/programs/start-program.ts", 'import { spawn } from "node:child_process";', true],
  ["packages/workspace/test/processes/z.test.ts", 'import { spawn } from "node:child_process";', true],
];

let folder: string;
let refused: Set<string>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-boundaries-"));
  copyFileSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  for (const [file, statement] of cases) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${statement}\n`);
  }
  refused = filesRefused();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(cases)("%s: %s", (file, _statement, allowed) => {
  expect(refused.has(file)).toBe(!allowed);
});

test("only the allowed modules start child processes", () => {
  const files = globSync("*/src/**/*.ts", { cwd: join(root, "packages") }).filter((file) => {
    const text = readFileSync(join(root, "packages", file), "utf8");
    return /\bchild_process\b/.test(text.replaceAll(/^import type .*$/gm, ""));
  });
  expect(new Set(files)).toEqual(
    new Set([
      "system/src/programs/start-program.ts",
      "workspace/src/run/children/pipe-child.ts",
      "sandbox/src/sandbox-runtime/keeper.ts",
      // It depends on nothing, and starts what somebody at a terminal asked for.
      "create-haft-plugin/src/run-program.ts",
      // It keeps code that is checked from it.
      "plugin-sdk/src/testing/observe/port-bypasses.ts",
      // It has the text of a module that an agent loads, and starts nothing itself.
      "guard/src/settings/modules/module-text.ts",
    ]),
  );
});

test("a cycle between files is refused", () => {
  const write = (name: string, other: string) =>
    writeFileSync(
      join(folder, name),
      `import { ${other} } from "./${other}.ts";\nexport const ${name[0]} = () => ${other};\n`,
    );
  write("a.ts", "b");
  write("b.ts", "a");
  expect(filesRefused("import(no-cycle)")).toEqual(new Set(["a.ts", "b.ts"]));
});

function filesRefused(rule = "eslint(no-restricted-imports)"): Set<string> {
  const bin = join(root, "node_modules/.bin");
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}` }; // It looks for tsgolint there.
  let output: string;
  try {
    output = execFileSync(join(bin, "oxlint"), ["--format=json"], {
      cwd: folder,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    // Lint errors make it exit with 1; the report is complete all the same.
    output = String((error as { stdout: unknown }).stdout);
  }
  const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string; filename: string }[] };
  return new Set(diagnostics.filter(({ code }) => code === rule).map(({ filename }) => filename));
}

test("built-in plugins use only what other authors can use", () => {
  const files = globSync("packages/{tools-fs,tools-exec,haft-plugin-web}/src/**/*.ts", { cwd: root });
  const internal = files.filter((path) =>
    /"@haft\/[a-z-]+\/internal/.test(readFileSync(join(root, path), "utf8")),
  );
  expect(internal).toEqual([]);
});
