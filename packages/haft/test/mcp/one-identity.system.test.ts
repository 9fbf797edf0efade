import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { createConfiguredWorkspace } from "../../../../test/support/configured-workspace.ts";
import { createMcpServer } from "../../../host/test/support/mcp-server.ts";
import { converse, haftHere, start } from "../support/haft.ts";

const TOKEN = "t".repeat(40);

/** A workspace with a mounted server whose tools only read, so that their calls are recorded after they were answered. */
async function setUp() {
  const made = await createConfiguredWorkspace({
    "xdg/haft/haft.config.yaml": "serve:\n  tokens:\n    laptop: { token: { env: LAPTOP_TOKEN } }\n",
  });
  const server = createMcpServer(made.cwd);
  const add = await haftHere(["mcp", "add", "prog", "--outside", "--", ...server.words], made.at);
  expect(add.code).toBe(0);
  expect((await haftHere(["mcp", "effects", "prog", "echo", "read"], made.at)).code).toBe(0);
  const before = server.noted().length;
  const since = () => server.noted().slice(before);
  return { ...made, started: () => since().filter((line) => line.startsWith("started ")).length };
}

test("haft run: all calls of a run use one process of the server, also before it is recorded", async () => {
  const { cwd, env, started } = await setUp();
  const run = converse(["--json"], cwd, env);
  for (const id of ["1", "2", "3", "4"]) {
    run.send({ id, name: "prog_echo", arguments: { text: id } });
    expect(await run.answer()).toMatchObject({ toolCallId: id, kind: "ok" });
    // A write has its record before it begins: the run is recorded from then on at the latest.
    if (id === "2") {
      run.send({ id: "w", name: "write", arguments: { path: "new.txt", content: "two\n" } });
      expect(await run.answer()).toMatchObject({ kind: "ok" });
    }
  }
  expect(await run.end()).toBe(0);
  expect(started()).toBe(1);
});

/** Calls the server before and after a write, one call after the other. */
async function useServer(client: Client, file: string): Promise<void> {
  const call = async (name: string, args: Record<string, unknown>) => {
    const { isError, content } = await client.callTool({ name, arguments: args });
    expect({ isError: isError === true, content }).toMatchObject({ isError: false });
  };
  await call("prog_echo", { text: "1" });
  await call("prog_echo", { text: "2" });
  await call("write", { path: file, content: "two\n" });
  await call("prog_echo", { text: "3" });
}

test("haft serve: all calls of a run use one process of the server, also before it is recorded", async () => {
  const { cwd, env, started } = await setUp();
  const [command = "", ...before] = haftCommand;
  const client = new Client({ name: "tester", version: "1" });
  const inherited = process.env as Record<string, string>;
  const how = { command, args: [...before, "serve"], cwd, env: { ...inherited, ...env } };
  await client.connect(new StdioClientTransport({ ...how, stderr: "ignore" }));
  onTestFinished(() => client.close());
  await useServer(client, "new.txt");
  expect(started()).toBe(1);
});

test("haft serve --http: each conversation uses one process of the server from its first to its last call", async () => {
  const { cwd, env, started } = await setUp();
  const child = start(["serve", "--http", "0"], cwd, { ...env, LAPTOP_TOKEN: TOKEN });
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout }))
    if ((url = /http:\/\/\S+/.exec(line)?.[0]) !== undefined) break;
  for (const number of [1, 2]) {
    const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "legacy" } });
    const headers = { authorization: `Bearer ${TOKEN}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(url!), { requestInit: { headers } }));
    onTestFinished(() => client.close());
    await useServer(client, `new-${number}.txt`);
    expect(started()).toBe(number);
  }
});
