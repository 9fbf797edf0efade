import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { haftCommand } from "../../../../../test/support/build-under-test.ts";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haft, haftHere, start } from "../../support/haft.ts";

const ERAS = ["2025-11-25", "2026-07-28"] as const;

/** `haft serve`, as the official client starts it. */
async function client(
  cwd: string,
  era: (typeof ERAS)[number],
  args: readonly string[] = [],
): Promise<Client> {
  const [command = "", ...before] = haftCommand;
  const env = { ...(process.env as Record<string, string>), HAFT_STATE_DIR: getStateFolder(cwd) };
  const transport = new StdioClientTransport({
    command,
    args: [...before, "serve", "--no-config", ...args],
    cwd,
    env,
    stderr: "ignore",
  });
  const mode = era === "2025-11-25" ? "legacy" : ({ pin: era } as const);
  const made = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode } });
  await made.connect(transport);
  onTestFinished(() => made.close());
  return made;
}

test("reports an unreadable configuration on standard error, and exits", async () => {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, "policy.yaml"), "deny: [no_such_tool]");
  const { code, stdout, stderr } = await haft(["serve", "--no-config", "--policy", "policy.yaml"], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("POLICY_INVALID");
});

test("changes nothing for a client that only lists tools", async () => {
  const cwd = await temporaryFolder();
  const one = await client(cwd, "2026-07-28");
  expect((await one.listTools()).tools.length).toBeGreaterThan(5);
  await one.close();
  expect(existsSync(getStateFolder(cwd)) ? readdirSync(getStateFolder(cwd)) : []).toEqual([]);
});

test("continues no pending calls with another command, and runs them when they are called again", async () => {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, "policy.yaml"), "ask: [exec]");
  const call = { name: "exec", arguments: { command: "touch done" } };
  const one = await client(cwd, "2026-07-28", ["--policy", "policy.yaml"]);
  expect(JSON.stringify(await one.callTool(call))).toContain("approval");
  await one.close();
  const listed = await haftHere(["approvals"], { cwd });
  expect(listed.stdout).not.toContain("--resume");
  const [, id = ""] = /haft approvals answer (\S+) allow-once/.exec(listed.stdout) ?? [];
  const answered = await haftHere(["approvals", "answer", id, "allow-once"], { cwd });
  expect(answered.stdout).toContain("the call runs when it is made again");
  const other = await client(cwd, "2026-07-28", ["--policy", "policy.yaml"]);
  await other.callTool(call);
  expect(existsSync(join(cwd, "done"))).toBe(true);
});

test("ends without a client, regardless of running commands", async () => {
  const cwd = await temporaryFolder();
  const child = start(["serve", "--no-config"], cwd);
  const line = (value: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...value })}\n`);
  const clientInfo = { name: "raw", version: "1" };
  line({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  line({ method: "notifications/initialized" });
  const command = "touch begun; sleep 600";
  line({ id: 2, method: "tools/call", params: { name: "exec", arguments: { command } } });
  while (!existsSync(join(cwd, "begun"))) await new Promise((resolve) => setTimeout(resolve, 20));
  child.stdin.end();
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(0);
  const { stdout } = await haftHere(["ledger", "show", "last", "--json"], { cwd });
  expect(stdout).toContain("CANCELLED");
});

describe.each(ERAS)("%s", (era) => {
  test("reads and changes files, contains commands, and records all of it", async () => {
    const cwd = await temporaryFolder();
    writeFileSync(join(cwd, "a.txt"), "one\n");
    const one = await client(cwd, era);
    const { tools } = await one.listTools();
    expect(tools.find(({ name }) => name === "exec")).toMatchObject({
      _meta: { "anthropic/alwaysLoad": true },
    });
    const read = await one.callTool({ name: "read", arguments: { path: "a.txt" } });
    expect(read.content).toEqual([{ type: "text", text: "one\n" }]);
    await one.callTool({
      name: "edit",
      arguments: { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] },
    });
    const ran = await one.callTool({ name: "exec", arguments: { command: "cat a.txt" } });
    expect(JSON.stringify(ran.content)).toContain("two");
    await one.close();
    const { stdout } = await haftHere(["ledger", "show", "last"], { cwd });
    expect(stdout).toContain("edit");
  });
});

test("keeps other open folders of a client closed, and reports that", async () => {
  const cwd = await temporaryFolder();
  const other = await temporaryFolder();
  writeFileSync(join(other, "secret.txt"), "of another project");
  const transport = new StdioClientTransport({
    command: haftCommand[0]!,
    args: [...haftCommand.slice(1), "serve", "--no-config"],
    cwd,
    env: { ...(process.env as Record<string, string>), HAFT_STATE_DIR: getStateFolder(cwd) },
    stderr: "ignore",
  });
  const made = new Client(
    { name: "tester", version: "1" },
    { capabilities: { roots: {} }, versionNegotiation: { mode: "legacy" } },
  );
  made.setRequestHandler("roots/list", () => ({
    roots: [cwd, other].map((path) => ({ uri: pathToFileURL(path).href })),
  }));
  await made.connect(transport);
  onTestFinished(() => made.close());
  const read = await made.callTool({ name: "read", arguments: { path: join(other, "secret.txt") } });
  expect(read.isError).toBe(true);
  const text = JSON.stringify(read.content);
  expect(text).not.toContain("of another project");
  expect(text).toContain("they are ignored");
  expect(text).toContain(pathToFileURL(other).href);
});
