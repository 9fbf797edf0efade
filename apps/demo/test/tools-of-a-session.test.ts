import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { toAISDK } from "@haft/adapters/ai-sdk";
import type { SessionKind } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { definePlugin, defineTool, image, text, Type } from "@haft/plugin-sdk";
import { generateText, isStepCount, type ToolResultPart } from "ai";
import { createHost, type Host } from "haft";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Turn } from "../../../scripts/lib/scripted-model/script.ts";
import { startScriptedEndpoint } from "../src/scripted/endpoint.ts";
import { readConversation, type Exchange } from "../src/scripted/scripts.ts";

const camera = definePlugin({
  id: "camera",
  tools: [
    defineTool({
      name: "photo",
      description: "Take a photo.",
      parameters: Type.Object({}),
      effects: [],
      execute: () => ({ content: [text("Here:"), image(Uint8Array.of(1, 2, 3), "image/png")], details: {} }),
    }),
  ],
});

let folder: string;
let host: Host;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bridge-test-"));
  await writeFile(join(folder, "a.txt"), "content of a\n");
  host = await createHost({ workspaceDir: folder, plugins: [camera] });
});
afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true });
});

/** Lets a model make these calls, one after the other, and answers what it was told. */
async function converse(session: Session, calls: NonNullable<Turn["calls"]>): Promise<readonly Exchange[]> {
  let told: readonly Exchange[] = [];
  await using endpoint = await startScriptedEndpoint({
    model(request) {
      told = readConversation(request).exchanges;
      const next = calls[told.length];
      return next ? { calls: [next] } : { text: "Done." };
    },
  });
  const provider = createOpenAICompatible({ name: "test", baseURL: endpoint.baseUrl });
  await generateText({
    model: provider("model"),
    prompt: "Go.",
    ...toAISDK(session),
    stopWhen: isStepCount(10),
    maxRetries: 0,
  });
  return told;
}

const open = (kind: SessionKind) => host.openSession({ kind });

describe("every call of the model reaches the kernel", () => {
  test("a good one, by the provider's id", async () => {
    const session = await open("main");
    const [told] = await converse(session, [{ name: "read", arguments: { file_path: "a.txt" } }]);
    expect(told).toMatchObject({ answer: "content of a\n", failed: false });
    expect(session.ledger()).toMatchObject([
      { toolCallId: expect.stringMatching(/^call_\d+$/), toolName: "read", args: { path: "a.txt" } },
    ]);
  });

  test("a tool that is not offered is blocked with its reason, and the model is not told of it before", async () => {
    const session = await open("group");
    expect(Object.keys(toAISDK(session).tools)).toContain("read");
    expect(Object.keys(toAISDK(session).tools)).not.toContain("write");
    const [told] = await converse(session, [{ name: "write", arguments: { path: "b.txt", content: "b" } }]);
    expect(told?.answer).toMatch(/^Blocked: write is denied in group sessions/);
    expect(told?.answer).toContain('Add "write" to sessions.group.grant');
    expect(session.ledger()).toMatchObject([{ toolName: "write", code: "POLICY_DENIED", receipt: "none" }]);
  });

  test.each(["raed", "toString", "__proto__"])("a name nobody has: %s", async (name) => {
    const session = await open("main");
    const [told] = await converse(session, [{ name, arguments: {} }]);
    expect(told?.answer).toMatch(/^Error: There is no tool/);
    expect(session.ledger()).toMatchObject([{ toolName: name, code: "UNKNOWN_TOOL" }]);
  });

  test("a name the kernel can repair", async () => {
    const [told] = await converse(await open("main"), [
      { name: "functions.Read", arguments: { path: "a.txt" } },
    ]);
    expect(told?.answer).toBe("content of a\n");
  });

  test("arguments that are no JSON, for a tool that is offered and for one that is not", async () => {
    const session = await open("group");
    const told = await converse(session, [
      { name: "read", arguments: '{"path": ' },
      { name: "write", arguments: '{"path": ' },
    ]);
    expect(told.map(({ failed }) => failed)).toEqual([true, true]);
    expect(session.ledger().map(({ toolName, status }) => [toolName, status])).toEqual([
      ["read", "failed"],
      ["write", "failed"],
    ]);
  });

  test("an error of the tool is told, not thrown", async () => {
    const [told] = await converse(await open("main"), [{ name: "read", arguments: { path: "none.txt" } }]);
    expect(told?.answer).toMatch(/^Error: /);
  });

  test("an aborted call is cancelled", async () => {
    const session = await open("main");
    const { read } = toAISDK(session).tools;
    const options = { toolCallId: "x", messages: [], context: {}, abortSignal: AbortSignal.abort() };
    expect(await read?.execute?.({ path: "a.txt" }, options)).toMatchObject({ kind: "cancelled" });
  });
});

test("images keep their place between the texts", async () => {
  const session = await open("main");
  const { photo } = toAISDK(session).tools;
  const output: unknown = await session.call({ name: "photo", arguments: {} });
  const shown: ToolResultPart["output"] | undefined = photo?.toModelOutput({
    toolCallId: "x",
    input: {},
    output,
  });
  expect(shown).toEqual({
    type: "content",
    value: [
      { type: "text", text: "Here:" },
      { type: "file", data: { type: "data", data: "AQID" }, mediaType: "image/png" },
    ],
  });
});
