import { expect, test } from "vitest";
import { z } from "zod";
import { fromMastra } from "../../src/mastra/index.ts";
import { openSession, reasons, getText } from "../support/open-session.ts";

// Tools in the shape that createTool() gives them; the real package, of 70 MB, runs in `npm run bridges -- mastra`.
interface Context {
  abortSignal: AbortSignal;
  writer: { write: (chunk: unknown) => Promise<void> };
  requestContext?: Map<string, string>;
  agent: { toolCallId: string; suspend: (payload: object) => Promise<void> };
  observe: {
    span: <T>(name: string, run: () => T) => Promise<T>;
    log: (level: string, message: string) => void;
  };
}

const base = { description: "It.", inputSchema: z.object({ n: z.number().optional() }) };

test("a tool gets its input and the parts of Mastra's context that are there", async () => {
  const look = {
    ...base,
    id: "look",
    async execute(input: { n?: number }, { agent, writer, observe, requestContext, abortSignal }: Context) {
      await writer.write("looking");
      observe.log("info", "looked");
      const twice = await observe.span("twice", () => (input.n ?? 0) * 2);
      return { twice, id: agent.toolCallId, user: requestContext?.get("user"), aborted: abortSignal.aborted };
    },
  };
  const plugin = fromMastra([look], { id: "l", effects: [], requestContext: new Map([["user", "ada"]]) });
  await using session = await openSession([plugin]);
  const updates: unknown[] = [];
  const outcome = await session.call(
    { id: "c1", name: "look", arguments: { n: 2 } },
    { onUpdate: ({ content }) => updates.push(content) },
  );
  expect(outcome.details).toEqual({ twice: 4, id: "c1", user: "ada", aborted: false });
  expect(updates).toEqual([[{ type: "text", text: "looking" }]]);
});

test("what Mastra answers for input that it refuses is an error; so is a suspension", async () => {
  const refusing = {
    ...base,
    id: "refusing",
    execute: async () => ({ error: true, message: "n must be even", validationErrors: { errors: [] } }),
  };
  const asking = {
    ...base,
    id: "asking",
    execute: (_input: object, { agent }: Context) => agent.suspend({ question: "Which?" }),
  };
  await using session = await openSession([fromMastra({ refusing, asking }, { id: "r", effects: [] })]);
  const first = await session.call({ name: "refusing", arguments: {} });
  expect(first).toMatchObject({ kind: "error", code: "BRIDGED_TOOL_FAILED" });
  expect(getText(first)).toContain("n must be even");
  const second = await session.call({ name: "asking", arguments: {} });
  expect(second).toMatchObject({ kind: "error", code: "BRIDGED_API_MISSING" });
});

test("requests approval for requireApproval, treats hints as hints, and omits tools that a client runs", async () => {
  const pay = { ...base, id: "pay", requireApproval: true, execute: async () => "paid" };
  const read = {
    ...base,
    id: "read-it",
    mcp: { annotations: { readOnlyHint: true } },
    execute: async () => "read",
  };
  const remote = { ...base, id: "remote" };
  await using session = await openSession([fromMastra([pay, read, remote], { id: "p" })]);
  expect(await session.call({ name: "pay", arguments: {} })).toMatchObject({ kind: "pending" });
  expect(await session.call({ name: "read-it", arguments: {} })).toMatchObject({ receipt: "committed" });
  expect(reasons(session).join()).toContain("remote has no execute");
});

test.each([
  ["nothing", undefined],
  ["a tool without an id", [{ execute: () => 1 }]],
])("%s is refused", (_what, tools) => {
  expect(() => fromMastra(tools as never, { id: "x" })).toThrow(/takes a list of tools|without a name/);
});
