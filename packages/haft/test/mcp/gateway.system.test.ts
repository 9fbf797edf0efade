import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { createConfiguredWorkspace } from "../../../../test/support/configured-workspace.ts";
import { oneFile } from "../../../../test/support/one-file.ts";
import { view } from "../../../../test/support/view.ts";
import { createMcpServer } from "../../../host/test/support/mcp-server.ts";
import { haftHere } from "../support/haft.ts";

// Servers that others wrote, and one of our own that changes, behind one endpoint.

const leftOutIf = (left: boolean): typeof test => (left ? (test.skip as typeof test) : test);
const testContained = leftOutIf(!view.available);

const require = createRequire(import.meta.url);
const program = (name: string) =>
  join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), "dist/index.js");

testContained("three servers of others and one that changes, behind haft serve", async () => {
  const { cwd, env, write, at } = await createConfiguredWorkspace({
    "xdg/haft/haft.config.yaml": ["policy:", "  deny: [prog_die, memory_delete_entities]"].join("\n"),
    "w/note.txt": "The door code is 4711.\n",
  });
  writeFileSync(join(cwd, "large.txt"), "all work and no play\n".repeat(100_000));
  const haft = async (...args: string[]) => {
    const result = await haftHere(args, at);
    expect({ args, code: result.code, stderr: result.stderr.replace(/^haft: checking.*\n/gm, "") }).toEqual({
      args,
      code: 0,
      stderr: "",
    });
    return result.stdout;
  };
  // In a view temporary folders are empty, and a checkout may lie in one.
  for (const name of ["server-filesystem", "server-memory", "server-everything"])
    await oneFile(program(name), join(cwd, "servers", `${name}.mjs`));
  const server = createMcpServer(cwd);
  const node = [process.execPath, "--no-warnings"] as const;
  await haft("mcp", "add", "files", "--", ...node, "servers/server-filesystem.mjs", cwd);
  await haft(
    "mcp",
    "add",
    "memory",
    "--env",
    `MEMORY_FILE_PATH=${join(cwd, "memory.jsonl")}`,
    "--",
    ...node,
    "servers/server-memory.mjs",
  );
  await haft("mcp", "add", "every", "--", ...node, "servers/server-everything.mjs");
  await haft("mcp", "add", "prog", "--", ...server.words);
  for (const [name, tool, effect] of [
    ["files", "read_text_file", "read"],
    ["files", "write_file", "write"],
    ["memory", "all", "write"],
    ["every", "echo", "computes"],
    ["prog", "all", "computes"],
  ] as const)
    await haft("mcp", "effects", name, tool, effect);

  const gateway = async () => {
    const [command = "", ...before] = haftCommand;
    const transport = new StdioClientTransport({
      command,
      args: [...before, "serve"],
      cwd,
      env: { ...(process.env as Record<string, string>), ...env },
      stderr: "ignore",
    });
    const client = new Client({ name: "tester", version: "1" });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const call = async (name: string, args: object = {}) => {
      const result = await client.callTool({ name, arguments: { ...args } });
      const [first] = result.content;
      return { isError: result.isError === true, text: first?.type === "text" ? first.text : "" };
    };
    return { client, call };
  };

  const first = await gateway();
  const names = (await first.client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "read",
      "files_read_text_file",
      "memory_create_entities",
      "every_echo",
      "prog_echo",
    ]),
  );
  expect(names).not.toContain("prog_die");
  expect(await first.call("files_read_text_file", { path: join(cwd, "note.txt") })).toMatchObject({
    isError: false,
    text: expect.stringContaining("4711"),
  });
  // Bounded, as any result is.
  const large = await first.call("files_read_text_file", { path: join(cwd, "large.txt") });
  expect(large.text.length).toBeLessThan(100_000);
  const entities = [{ name: "door", entityType: "thing", observations: ["has a code"] }];
  expect(await first.call("memory_create_entities", { entities })).toMatchObject({ isError: false });
  expect((await first.call("memory_read_graph")).text).toContain("has a code");
  expect((await first.call("every_echo", { message: "hello" })).text).toContain("hello");
  expect((await first.call("prog_echo", { text: "here" })).text).toBe("here");
  // What its server alone has said something about waits for a person.
  const pending = await first.call("files_create_directory", { path: join(cwd, "new") });
  expect(pending.text).toContain("The effects of files_create_directory are not reviewed");
  const denied = await first.call("memory_delete_entities", { entityNames: ["door"] });
  expect(denied).toMatchObject({ isError: true });
  expect((await first.call("memory_read_graph")).text).toContain("has a code");
  await first.client.close();

  await write("w/notes.description", "Reads your mail, too.");
  const second = await gateway();
  expect((await second.call("prog_echo", { text: "still?" })).text).toContain(
    "changed the accepted description",
  );
  await second.client.close();
  const third = await gateway();
  expect((await third.client.listTools()).tools.map(({ name }) => name)).not.toContain("prog_echo");
  await third.client.close();
  expect(server.noted().filter((line) => line === "called echo")).toHaveLength(1);

  // Every call is in the ledger, with what decided about it, and can be explained.
  const runs = await haft("ledger", "list");
  expect(runs).toMatch(/call/);
  const why = await haftHere(["explain", "memory_delete_entities"], at);
  expect(why.stdout).toContain("haft.config.yaml");
});
