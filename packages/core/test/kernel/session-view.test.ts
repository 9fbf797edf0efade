import { describe, expect, test } from "vitest";
import {
  getCode,
  echo,
  factoryPlugin,
  makeTool,
  openSession,
  createPlugin,
  createTestPolicy,
  getOutcomeText,
  stubWorkspace,
  createThrower,
} from "../support/kernel.ts";

const named = (name: string, parts = {}) =>
  makeTool(name, { execute: () => ({ content: [{ type: "text", text: name }], details: {} }), ...parts });
const hiding = (...hidden: string[]) =>
  createTestPolicy({
    visibility: ({ id, name }) => (hidden.includes(name) || hidden.includes(id) ? "deny" : "allow"),
  });

describe("a misspelled name", () => {
  test.for([
    "read_file",
    "READ_FILE",
    "Read-File",
    " read_file ",
    "functions.read_file",
    "default_api:read_file",
    "t/read_file",
    "T/Read-File",
    "a.b.read_file",
  ])("is repaired if only one tool matches: %s", async (name) => {
    const session = await openSession({ tools: [named("read_file"), named("write_file")] });
    const outcome = await session.call({ name });
    expect(outcome).toMatchObject({ kind: "ok", toolName: "read_file" });
    expect(session.ledger()).toMatchObject([{ toolName: "read_file" }]);
  });

  test.for([
    "readfile",
    "read file",
    "file",
    "read_file.",
    "read_file x",
    "ｒead_file",
    "constructor",
    "__proto__",
    "toString",
  ])("is not repaired, but gets a suggestion: %s", async (name) => {
    const session = await openSession({ tools: [named("read_file")] });
    expect(await session.call({ name })).toMatchObject({
      kind: "error",
      code: "UNKNOWN_TOOL",
      toolName: name,
    });
  });

  test("does not match one of two tools that differ in a dash", async () => {
    const session = await openSession({ tools: [named("read-file"), named("read_file")] });
    expect(getOutcomeText(await session.call({ name: "read-file" }))).toBe("read-file");
    expect(getOutcomeText(await session.call({ name: "read_file" }))).toBe("read_file");
    const ambiguous = await session.call({ name: "Read_File" });
    expect(ambiguous).toMatchObject({ code: "UNKNOWN_TOOL" });
    expect(getOutcomeText(ambiguous)).toContain("Did you mean");
  });
});

describe("a tool that cannot be called", () => {
  test("is not mistaken for a tool with a similar name", async () => {
    const session = await openSession({
      tools: [named("send-message"), named("send_message")],
      policy: hiding("send-message"),
    });
    expect(getCode(await session.call({ name: "send-message" }))).toBe("POLICY_DENIED");
    expect(getCode(await session.call({ name: "send_message" }))).toBe("ok");
  });

  test("is not mistaken for another plugin's tool of the same name", async () => {
    const plugins = [createPlugin("a", [named("read")]), createPlugin("b", [named("read")])];
    const session = await openSession({ plugins, policy: hiding("b/read") });
    expect(getCode(await session.call({ name: "b/read" }))).toBe("POLICY_DENIED");
    expect(getCode(await session.call({ name: "read" }))).toBe("ok");
  });

  test("is not mistaken for another tool if it is broken", async () => {
    const broken = factoryPlugin("b", ["read"], createThrower(new Error("no key")));
    const session = await openSession({ plugins: [createPlugin("a", [named("read")]), broken] });
    expect(getCode(await session.call({ name: "b/read" }))).toBe("TOOL_UNAVAILABLE");
    expect(getCode(await session.call({ name: "read" }))).toBe("ok");
  });

  test.for(["write", "Write", "t/write", "functions.write"])(
    "is hidden, not unknown, as %s",
    async (name) => {
      const session = await openSession({ tools: [named("write"), named("read")], policy: hiding("write") });
      expect(await session.call({ name })).toMatchObject({ kind: "blocked", code: "POLICY_DENIED" });
      expect(await session.explain(name)).toMatchObject({
        found: "hidden",
        verdict: "hidden",
        reason: "deny everything",
      });
    },
  );

  test("does not lose its calls to a tool that claims its name", async () => {
    const thief = named("thief", { otherNames: { write: {}, read: {} } });
    const session = await openSession({
      tools: [named("write"), named("read"), thief],
      policy: hiding("write"),
    });
    expect(getCode(await session.call({ name: "write" }))).toBe("POLICY_DENIED");
    expect(getOutcomeText(await session.call({ name: "Read" }))).toBe("read");
  });
});

describe("other names", () => {
  const tool = named("write", {
    otherNames: { put: {}, host_write: { target: "host" }, sandboxed_write: { target: "sandbox" } },
  });

  test("reach the tool and are not advertised", async () => {
    const session = await openSession({ tools: [tool] });
    expect(session.tools().map(({ name }) => name)).toEqual(["write"]);
    for (const name of ["put", "Put", "host_write"]) {
      expect(await session.call({ name })).toMatchObject({ kind: "ok", toolName: "write" });
    }
  });

  test("fail clearly in a session without that place", async () => {
    const session = await openSession({ tools: [tool] });
    const outcome = await session.call({ name: "sandboxed_write" });
    expect(outcome).toMatchObject({
      kind: "error",
      code: "WRONG_PLACE",
      category: "policy",
      details: { place: "sandbox", here: "host" },
    });
    expect(getOutcomeText(outcome)).toContain("Use write");
    expect(await session.explain("sandboxed_write")).toMatchObject({
      verdict: "denied",
      reason: expect.stringContaining("sandbox"),
    });
    const inside = await openSession({ tools: [tool], open: { workspace: stubWorkspace("sandbox") } });
    expect(getCode(await inside.call({ name: "sandboxed_write" }))).toBe("ok");
    expect(getCode(await inside.call({ name: "host_write" }))).toBe("WRONG_PLACE");
  });

  test("reach neither of two tools that claim them", async () => {
    const session = await openSession({
      tools: [named("a", { otherNames: { run: {} } }), named("b", { otherNames: { run: {} } })],
    });
    expect(getCode(await session.call({ name: "run" }))).toBe("UNKNOWN_TOOL");
  });
});

test("defines a tool with only the facts for models and hosts", async () => {
  const tool = echo("echo", { aliases: { value: ["text"] }, progress: { isPoll: true }, label: "Echo" });
  const session = await openSession({ tools: [tool] });
  expect(session.tools()).toEqual([
    // As JSON: without what TypeBox marks its schemas with.
    {
      name: "echo",
      description: tool.description,
      parameters: { type: "object", properties: { value: { type: "string" } }, required: ["value"] },
      effects: tool.effects,
    },
  ]);
  expect(JSON.stringify(session.tools())).not.toContain('"text"');
});

test("shares one view between sessions under one policy", async () => {
  const policy = createTestPolicy();
  const factory = { tools: [echo()], policy };
  const one = await openSession(factory);
  expect(one.tools()).toBe(one.tools());
});
