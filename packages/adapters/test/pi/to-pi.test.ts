import type { Session } from "@haft/core/kernel";
import { expect, test } from "vitest";
import { type PiTool, toPi } from "../../src/pi/index.ts";
import { openSession } from "../support/open-session.ts";
import { providerTools } from "../support/provider-tools.ts";

// The agent of pi itself is tried with what is published: npm run bridges -- pi.
const open = (setup = {}) => openSession([providerTools], setup);
const toolOf = (session: Session, name: string, options = {}) =>
  toPi(session, options).find((tool) => tool.name === name) as PiTool;

test("offers tools for pi, which runs changing tools alone and does not repeat them", async () => {
  await using session = await open();
  const tools = toPi(session);
  expect(tools.map(({ name, executionMode, replay }) => [name, executionMode, replay])).toEqual([
    ["greet", "parallel", "safe"],
    ["photo", "parallel", "safe"],
    ["scan", "parallel", "safe"],
    ["wait", "parallel", "safe"],
    ["send", "sequential", "never"],
    ["note", "sequential", "never"],
    ["dump", "parallel", "safe"],
  ]);
  expect(tools[0]).toMatchObject({
    label: "greet",
    description: "Greets somebody.",
    parameters: { type: "object", required: ["name"] },
  });
});

test("a call: texts and images, and its id in the ledger", async () => {
  await using session = await open();
  expect(await toolOf(session, "photo").execute("c1", {})).toMatchObject({
    content: [
      { text: "Before:" },
      { type: "image", data: "AQID", mimeType: "image/png" },
      { text: "After." },
    ],
  });
  expect(session.ledger()).toMatchObject([{ toolCallId: "c1", toolName: "photo" }]);
});

test("throws the model's text if a call fails, because pi has no other form", async () => {
  await using session = await open({ rules: { ask: ["send"] } });
  await expect(toolOf(session, "greet").execute("c1", { nobody: 1 })).rejects.toThrow(
    /^Error: Invalid arguments/,
  );
  await expect(toolOf(session, "send").execute("c2", { to: "ada" })).rejects.toThrow(/^Waiting for approval/);
  await session.close();
  await expect(toolOf(session, "greet").execute("c3", { name: "Ada" })).rejects.toThrow(/closed/);
});

test("passes on its progress, and an abort aborts the call", async () => {
  await using session = await open();
  const aborter = new AbortController();
  const heard: unknown[] = [];
  const ended = toolOf(session, "wait").execute("c1", {}, aborter.signal, (partial) => {
    heard.push(partial);
    aborter.abort();
  });
  await expect(ended).rejects.toThrow(/^Cancelled/);
  expect(heard).toEqual([{ content: [{ type: "text", text: "waiting" }], details: {} }]);
});

const userOf = (said: unknown) => {
  const asked: unknown[] = [];
  const ui = {
    said,
    async confirm(...given: unknown[]) {
      asked.push(given);
      return this.said;
    },
  };
  return { asked, context: { hasUI: true, ui } };
};

test.each([
  [true, /^sent to ada$/],
  [false, /denied/],
  ["yes", /denied/],
  [undefined, /denied/],
])("with pi's own approvals pi asks its user, who answers %s", async (said, content) => {
  await using session = await open({ rules: { ask: ["send"] } });
  const { asked, context } = userOf(said);
  const send = toolOf(session, "send", { approvals: "pi" });
  const answer = await send.execute("c1", { to: "ada" }, undefined, undefined, context).then(
    (result) => result.content[0] as { text: string },
    (thrown: unknown) => ({ text: (thrown as Error).message }),
  );
  expect(answer.text).toMatch(content);
  expect(asked).toEqual([["Run send?", expect.stringContaining('"to": "ada"'), { signal: undefined }]]);
});

test("asks no question for allowed calls, or without a user interface", async () => {
  await using session = await open({ rules: { ask: ["send"] } });
  const { asked, context } = userOf(true);
  const { execute } = toolOf(session, "greet", { approvals: "pi" });
  await execute("c1", { name: "Ada" }, undefined, undefined, context);
  const send = toolOf(session, "send", { approvals: "pi" });
  for (const [to, nobody] of Object.entries({
    a: undefined,
    b: { ...context, hasUI: false },
    c: { hasUI: true },
  }))
    await expect(send.execute(to, { to }, undefined, undefined, nobody)).rejects.toThrow(/^Waiting/);
  expect(asked).toEqual([]);
});
