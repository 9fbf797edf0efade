import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haft, type Finished } from "../../support/haft.ts";

const KEY = "sk-weather-0123456789";

/** Tools that throw where nobody can catch it; `slow` ends when all of that is over. */
const PLUGIN = `import { connect } from "node:net";
import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
const one = (name, execute) =>
  defineTool({ name, description: "One.", parameters: Type.Object({}), effects: [], execute });
const done = { content: [text("done")], details: {} };
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export default definePlugin({
  id: "weather",
  configSchema: Type.Object({ apiKey: Type.String({ "x-secret": true }) }),
  tools: [
    one("later", () => { setTimeout(() => { throw new Error("no luck with ${KEY}"); }, 5); return done; }),
    one("words", () => { setTimeout(() => { throw "only words"; }, 5); return done; }),
    one("socket", () => { connect({ port: 1, host: "127.0.0.1" }); return done; }),
    one("often", () => { setInterval(() => { throw new Error("again"); }, 1); return done; }),
    { names: ["made"], factory: async () => { setTimeout(() => { throw new Error("lost"); }, 1); await sleep(50); return one("made", async () => { setTimeout(() => { throw new Error("lost"); }, 1); await sleep(50); return done; }); } },
    one("slow", async () => { await sleep(500); return done; }),
    one("long", async (_id, _params, signal) => { globalThis.isLongRunning = true; await new Promise((resolve) => signal.addEventListener("abort", resolve)); throw signal.reason; }),
  ],
});
`;

async function run(names: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  const calls = names.map((name) => ({ id: name, type: "function", function: { name, arguments: "{}" } }));
  const input = `${JSON.stringify({ tool_calls: calls })}\n`;
  return runCommand(["run", "--json", "--parallel"], { input, env });
}

async function runCommand(
  words: readonly string[],
  options: { input?: string; env?: Record<string, string> } = {},
): Promise<Finished> {
  const above = await temporaryFolder();
  const cwd = join(above, "workspace");
  mkdirSync(cwd);
  writeFileSync(join(above, "weather.js"), PLUGIN);
  const config = join(above, "haft.config.json");
  writeFileSync(config, JSON.stringify({ plugins: [{ use: "./weather.js", config: { apiKey: KEY } }] }));
  return haft(words, { cwd, ...options, env: { ...options.env, HAFT_CONFIG: config } });
}

test("reports a late error of a plugin once with masked secrets, and answers other calls", async () => {
  const { code, stderr, lines } = await run(["later", "words", "socket", "slow"]);
  expect(lines()).toMatchObject(
    ["later", "words", "socket", "slow"].map((toolCallId) => ({ toolCallId, kind: "ok" })),
  );
  expect(code).toBe(0);
  const message = (why: string) => `./weather.js threw an uncaught error in a timer or a listener: ${why}`;
  expect(stderr.split("\n").filter((line) => line.includes(message("no luck with [secret]")))).toHaveLength(
    1,
  );
  expect(stderr).toContain(message("only words"));
  expect(stderr).toContain(message("connect ECONNREFUSED"));
  expect(stderr).not.toContain(KEY);
  expect(stderr).not.toMatch(/^ +at /m);
});

test.for([["tools", "call", "made", "{}"], ["tools"], ["explain", "made"], ["plugins", "list"]])(
  "reports a late error of a plugin, and finishes: haft %s %s",
  async (words) => {
    const { code, stderr, stdout } = await runCommand(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/^ +at /m) as string });
    if (words[1] === "call") {
      expect(stdout).toContain("done");
      expect(stderr).toContain("threw an uncaught error in a timer or a listener: lost");
    }
  },
);

test("ends the process in order after repeated errors", async () => {
  const { code, stderr, lines } = await run(["often", "long"]);
  expect(stderr).toContain("Plugins threw more than 20 uncaught errors in one second");
  expect(lines()).toContainEqual(expect.objectContaining({ toolCallId: "long", kind: "cancelled" }));
  expect(code).toBe(1);
});

test("ends the process in order after an error outside plugins, with its position and masked secrets", async () => {
  const folder = await temporaryFolder();
  const other = join(folder, "other.mjs");
  writeFileSync(
    other,
    `const wait = setInterval(() => {
  if (!globalThis.isLongRunning) return;
  clearInterval(wait);
  throw new Error("Authorization: Bearer ${KEY}");
}, 5).unref();
`,
  );
  const { code, stderr, lines } = await run(["long"], { NODE_OPTIONS: `--import=${other}` });
  expect(stderr).toContain("This is an error in Haft, which ends the process.");
  expect(stderr).toMatch(/^ +at .*other\.mjs/m);
  expect(stderr).not.toContain(KEY);
  expect(lines()).toMatchObject([{ toolCallId: "long", kind: "cancelled" }]);
  expect(code).toBe(1);
});
