import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { commands } from "../../../src/cli/command-line.ts";
import { haftHere } from "../../support/haft.ts";

/** Each way into a state folder, by its command: those that look, and those that would write there. */
const COMMANDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  tools: [["tools"], ["tools", "call", "write", '{"path":"b","content":"x"}']],
  explain: [["explain", "write"]],
  run: [["run"], ["run", "--resume"], ["run", "--resume", "0mwtu"]],
  serve: [["serve"], ["serve", "--http", "0"]],
  chat: [["chat", "-p", "x", "--base-url", "http://127.0.0.1:1", "--model", "openai/x"]],
  undo: [["undo"], ["undo", "last", "--to", "call_1"]],
  inspect: [["inspect", "--no-config"]],
  sandbox: [["sandbox", "explain"]],
  config: [
    ["config", "show"],
    ["config", "trusted"],
    ["config", "untrust", "--all"],
  ],
  plugins: [
    ["plugins", "list"],
    ["plugins", "info", "x"],
    ["plugins", "why", "x"],
  ],
  approvals: [
    ["approvals"],
    ["approvals", "--json"],
    ["approvals", "grants"],
    ["approvals", "answer", "abcd", "deny"],
  ],
  ledger: [
    ["ledger", "list"],
    ["ledger", "show", "last"],
    ["ledger", "export", "last"],
    ["ledger", "replay", "last"],
    ["ledger", "check"],
    ["ledger", "check", "--repair"],
    ["ledger", "forget", "--before", "1d", "--yes"],
  ],
  mcp: [
    ["mcp", "list"],
    ["mcp", "show", "x"],
    ["mcp", "review", "x"],
  ],
  nodes: [
    ["nodes", "list"],
    ["nodes", "revoke", "kitchen"],
    ["nodes", "offer"],
    ["nodes", "hosts"],
    ["nodes", "start", "--server", "nats://127.0.0.1:1"],
    ["nodes", "server-config"],
  ],
};

/** Places beside the workspace that are no state folders. */
async function setUp() {
  const parent = await temporaryFolder();
  const at = (name: string) => join(parent, name);
  mkdirSync(at("workspace"));
  writeFileSync(at("file"), "mine");
  mkdirSync(at("project"));
  writeFileSync(join(at("project"), "notes.txt"), "mine");
  chmodSync(at("project"), 0o755);
  symlinkSync("loop", at("loop"));
  return { cwd: at("workspace"), at };
}

test("covers every command with --state", async () => {
  const withState: string[] = [];
  for (const [name, load] of Object.entries(commands))
    if ("state" in (await load()).options) withState.push(name);
  expect(Object.keys(COMMANDS).toSorted()).toEqual(withState.toSorted());
});

describe.each(Object.entries(COMMANDS))("haft %s", (_, lines) => {
  test("describes a folder that is not a state folder, and does not change it", async () => {
    const { cwd, at } = await setUp();
    for (const [name, why] of [
      ["file", "is not a folder"],
      ["file/below", "cannot be read: a file stands where its folder should be"],
      ["loop", "cannot be read: it is a link"],
      ["project", "is not a state folder of Haft: it contains other files"],
    ] as const) {
      for (const line of lines) {
        const input = line[0] === "run" ? { input: "" } : {};
        const named = await haftHere([...line, "--state", at(name)], { cwd, ...input });
        expect({ line, ...named }).toMatchObject({
          code: line[1] === "replay" ? 4 : 1,
          stderr: expect.stringContaining(`--state: ${at(name)} ${why}`),
        });
        const ofEnvironment = await haftHere(line, { cwd, env: { HAFT_STATE_DIR: at(name) }, ...input });
        expect(ofEnvironment.stderr).toContain(`HAFT_STATE_DIR: ${at(name)} ${why}`);
      }
    }
    expect(readdirSync(at("project"))).toEqual(["notes.txt"]);
    expect(statSync(at("project")).mode & 0o777).toBe(0o755);
    expect(existsSync(join(cwd, "b"))).toBe(false);
  });
});

test("accepts an empty, a missing and a mixed folder of Haft as state folder", async () => {
  const { cwd, at } = await setUp();
  mkdirSync(at("empty"));
  for (const name of ["empty", "new/deeper"]) {
    const call = ["tools", "call", "write", `{"path":"${name[0]}","content":"x"}`, "--state", at(name)];
    expect(await haftHere(call, { cwd })).toMatchObject({ code: 0 });
    writeFileSync(join(at(name), "README"), "mine");
    expect((await haftHere(["ledger", "--state", at(name)], { cwd })).stdout).toContain("write");
  }
  const { stdout } = await haftHere(["ledger", "--state", at("nowhere")], { cwd });
  expect(stdout).toContain(`Nothing is recorded in ${at("nowhere")}, which does not exist, yet`);
  expect(existsSync(at("nowhere"))).toBe(false);
});

test("accepts a folder with only records of MCP servers", async () => {
  const { cwd, at } = await setUp();
  for (const name of ["mcp", "mcp-credentials"]) {
    mkdirSync(join(at(name), name), { recursive: true, mode: 0o700 });
    const { code, stdout } = await haftHere(["ledger", "--state", at(name)], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("Nothing is recorded") });
  }
});

test.skipIf(process.getuid?.() === 0)("reports an unreadable folder", async () => {
  const { cwd, at } = await setUp();
  mkdirSync(at("closed"), { mode: 0o000 });
  const { code, stderr } = await haftHere(["ledger", "--state", at("closed")], { cwd });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining("cannot be read: the system does not permit it"),
  });
});
