import { defineTool, text, Type } from "@haft/plugin-sdk";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { ERAS, connectStdio } from "../support/connect-stdio.ts";
import { createTestMachine } from "../support/machine.ts";

const textsOf = ({ content }: CallToolResult) =>
  content.flatMap((one) => (one.type === "text" ? [one.text] : []));
const factsOf = ({ _meta }: CallToolResult) => _meta?.["haft/outcome"] as Record<string, unknown>;

describe.each(ERAS)("over stdio, %s", (era) => {
  test("an error before a tool runs is a result with the next step", async () => {
    const { source, actions } = await createTestMachine({ sessions: { main: { deny: ["take_note"] } } });
    const { client } = await connectStdio(source, { era });

    const unknown = await client.callTool({ name: "lok", arguments: {} });
    expect(unknown).toMatchObject({ isError: true });
    expect(textsOf(unknown).join()).toContain("Did you mean look?");

    const denied = await client.callTool({ name: "take_note", arguments: { what: "a" } });
    expect(denied).toMatchObject({
      isError: true,
      _meta: { "haft/outcome": { kind: "blocked", code: "POLICY_DENIED" } },
    });

    const invalid = await client.callTool({ name: "look", arguments: { where: 1 } });
    expect(factsOf(invalid)).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS", receipt: "none" });
    expect(actions).toEqual([]);
  });

  test("reports a session that fails to open, and the next call tries again", async () => {
    const { source } = await createTestMachine();
    let isBroken = true;
    const open = () => (isBroken ? Promise.reject(new Error("no room")) : source.open());
    const { client } = await connectStdio({ ...source, open }, { era });
    const failed = await client.callTool({ name: "look", arguments: {} });
    expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("no room") }] });
    isBroken = false;
    expect(textsOf(await client.callTool({ name: "look", arguments: {} }))).toEqual(["nothing to see"]);
  });

  test("lists tools with their effects without opening a session", async () => {
    const { source, sessions } = await createTestMachine();
    const { client } = await connectStdio(source, { era });
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations])).toEqual([
      [
        "take_note",
        { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      ],
      ["look", { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
      ["hold", { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }],
    ]);
    expect(tools[0]?.inputSchema).toMatchObject({ type: "object", required: ["what"] });
    expect(tools.some(({ outputSchema }) => outputSchema !== undefined)).toBe(false);
    expect(client.getInstructions()).toContain("approval");
    expect(sessions).toHaveLength(0);
  });

  test("puts text and images in `content` and the outcome in `_meta`", async () => {
    const { source, sessions } = await createTestMachine();
    const { client } = await connectStdio(source, { era });
    const result = await client.callTool({ name: "take_note", arguments: { text: "milk" } });
    expect(result.content).toEqual([
      { type: "text", text: "noted milk" },
      { type: "image", data: Buffer.from("png").toString("base64"), mimeType: "image/png" },
    ]);
    expect(result.structuredContent).toBeUndefined();
    expect(factsOf(result)).toMatchObject({ kind: "ok", receipt: "committed" });
    expect(sessions[0]?.ledger()).toMatchObject([{ toolName: "take_note", status: "completed" }]);
  });

  test("stops a cancelled call and reports progress on request", async () => {
    const { source, actions, sessions, holdStarted } = await createTestMachine();
    const { client } = await connectStdio(source, { era });
    const controller = new AbortController();
    const progress: unknown[] = [];
    const calling = client.callTool(
      { name: "hold", arguments: {} },
      { signal: controller.signal, onprogress: ({ message }) => progress.push(message) },
    );
    await holdStarted;
    await until("the client hears of it", () => progress.length > 0);
    controller.abort("enough");
    await expect(calling).rejects.toThrow("enough");
    await until("it was stopped", () => actions.includes("stopped"));
    expect(progress).toContain("on");
    await until("the ledger knows", () => sessions[0]?.ledger()[0]?.status === "failed");
  });

  test("a client that disconnects during a call ends the call and the session", async () => {
    const { source, actions, sessions, holdStarted } = await createTestMachine();
    const { client, served } = await connectStdio(source, { era });
    const calling = client.callTool({ name: "hold", arguments: {} });
    calling.catch(() => {});
    await holdStarted;
    await client.close();
    await served.ended;
    await served.close();
    expect(actions).toEqual(["stopped"]);
    expect(sessions[0]?.ledger()).toMatchObject([{ status: "failed", code: "CANCELLED" }]);
  });

  test("notifies clients of changed rules, and they list the changed tools", async () => {
    const { source, rules } = await createTestMachine();
    const { client, served, lines } = await connectStdio(source, {
      era,
      client: { listChanged: { tools: { onChanged: () => {} } } },
    });
    await client.listTools();
    await served.toolsChanged();
    expect(lines.join("\n")).not.toContain("list_changed");
    rules({ sessions: { main: { deny: ["take_note"] } } });
    await served.toolsChanged();
    await until("it was told", () => lines.some((line) => line.includes("notifications/tools/list_changed")));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["look", "hold"]);
  });

  test("adds structured content for tools that the operator selected, next to their text", async () => {
    const sum = (name: string) =>
      defineTool({
        name,
        description: "Adds.",
        parameters: Type.Object({ a: Type.Number(), b: Type.Number() }),
        effects: ["read"],
        outputSchema: Type.Object({ sum: Type.Number() }),
        execute(_id, { a, b }) {
          if (a < 0) throw new Error("too small");
          return { content: [text(`It is ${a + b}.`)], details: { sum: a + b } };
        },
      });
    const { source } = await createTestMachine({}, { more: [sum("add"), sum("add_in_words")] });
    const options = { structured: ["add", "look", "no_such_tool"] };
    const { client } = await connectStdio(source, { era, options });
    const { tools } = await client.listTools();
    const withSchema = tools.filter(({ outputSchema }) => outputSchema !== undefined);
    // One without a schema has nothing to promise.
    expect(withSchema.map(({ name, outputSchema }) => [name, outputSchema])).toEqual([
      ["add", expect.objectContaining({ type: "object", required: ["sum"] })],
    ]);

    const added = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
    expect(added.structuredContent).toEqual({ sum: 3 });
    expect(textsOf(added)).toEqual(["It is 3."]);
    const inWords = await client.callTool({ name: "add_in_words", arguments: { a: 1, b: 2 } });
    expect(inWords.structuredContent).toBeUndefined();
    expect(textsOf(inWords)).toEqual(["It is 3."]);
    // What failed did not come to what its schema says.
    const failed = await client.callTool({ name: "add", arguments: { a: -1, b: 2 } });
    expect(failed).toMatchObject({ isError: true });
    expect(failed.structuredContent).toBeUndefined();
  });
});
