// Tries `haft serve` with the MCP Inspector's command line, over standard input and HTTP, in both protocol
// revisions: its strictest check of tool schemas, and one call. npm installs the fixed Inspector version
// once.
//
// npm run inspector
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { check, finish, need } from "./lib/checks.ts";
import { createCleanEnvironment, root, run } from "./lib/workspace.ts";

const VERSION = "2.12.0";
const ERAS = ["legacy", "modern"];
const HAFT = join(root, "packages/haft/dist/cli/main.js");
const TOKEN = "of-the-inspector-0123456789abcdef";

const folder = join(root, ".haft/clients", `inspector-${VERSION}`);
const program = join(folder, "node_modules/.bin/mcp-inspector");
const workspace = mkdtempSync(join(tmpdir(), "haft-inspector-"));
const state = join(workspace, "state");
const env = {
  ...createCleanEnvironment(),
  PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
  HAFT_STATE_DIR: state,
  HAFT_INSPECTOR_TOKEN: TOKEN,
};
process.on("exit", () => rmSync(workspace, { recursive: true, force: true }));

await need(`the MCP Inspector ${VERSION} is installed`, async () => {
  if (existsSync(program)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const options = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
  await run("npm", ["install", ...options, `@modelcontextprotocol/inspector@${VERSION}`], {
    cwd: folder,
    env,
  });
});
writeFileSync(join(workspace, "note.txt"), "what the inspector reads\n");
const config = join(workspace, "config.yaml");
writeFileSync(config, "serve: { tokens: { inspector: { token: { env: HAFT_INSPECTOR_TOKEN } } } }\n");

/** @returns the Inspector's output */
function inspect(target: readonly string[], ...words: string[]): Promise<string> {
  return run(process.execPath, [program, "--cli", ...target, ...words], { cwd: workspace, env });
}

async function tryOut(how: string, target: readonly string[]): Promise<void> {
  for (const era of ERAS) {
    const at = [...target, "--protocol-era", era];
    await check(`${how}, ${era}: tools/list --strict`, async () => {
      const { tools } = JSON.parse(await inspect(at, "--method", "tools/list", "--strict")) as {
        tools: unknown[];
      };
      if (tools.length < 10) throw new Error(`It has ${tools.length} tools.`);
    });
    await check(`${how}, ${era}: tools/call`, async () => {
      const call = ["--method", "tools/call", "--tool-name", "read", "--tool-arg", "path=note.txt"];
      const printed = await inspect(at, ...call);
      if (!printed.includes("what the inspector reads")) throw new Error(printed);
    });
  }
}

await tryOut("standard input", [process.execPath, HAFT, "serve", "--no-config", "--workspace", workspace]);

const served = spawn(
  process.execPath,
  [HAFT, "serve", "--config", config, "--workspace", workspace, "--http", "0"],
  {
    cwd: workspace,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  },
);
const [said] = (await once(createInterface({ input: served.stdout }), "line")) as [string];
const [url = ""] = /http:\S+/.exec(said) ?? [];
await tryOut("HTTP", [
  "--server-url",
  url,
  "--transport",
  "http",
  "--header",
  `Authorization: Bearer ${TOKEN}`,
]);
served.kill("SIGTERM");
await once(served, "exit");
await finish();
