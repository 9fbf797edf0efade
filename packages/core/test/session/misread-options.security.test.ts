import { describe, expect, test } from "vitest";
import type { ToolHook } from "../../src/contract/hooks.ts";
import type { CallOptions } from "../../src/kernel/call-options.ts";
import { callEcho, openHooked } from "../support/hooks.ts";
import { codeOf, echo, makeFactory, openSession } from "../support/kernel.ts";

describe("a call whose sender is not understood is not made", () => {
  test.for([
    { sender: { id: 7 } },
    { sender: "id:7" },
    { sender: ["7"] },
    { sender: null },
    { sender: { ID: "7" } },
    { Sender: { id: "7" } },
    { sendr: { id: "7" } },
    { deadlineMs: Number.NaN },
  ])("%j", async (options) => {
    let ran = false;
    const run = echo("echo", {
      execute: async () => {
        ran = true;
        return { content: [], details: {} };
      },
    });
    const session = await openSession({ tools: [run] });
    const outcome = await session.call({ name: "echo", arguments: { value: "a" } }, options as CallOptions);
    expect([outcome.kind, codeOf(outcome)]).toEqual(["error", "INVALID_OPTIONS"]);
    expect(ran).toBe(false);
  });
});

describe("an answer of a hook that cannot be understood is a no", () => {
  class WithGetter {
    get block() {
      return "no";
    }
  }
  test.for([
    ["an error", () => new Error("no")],
    ["a map", () => new Map([["block", "no"]])],
    ["a getter of a class", () => new WithGetter()],
    ["inherited", () => Object.create({ block: "no" })],
    ["not enumerable", () => Object.defineProperty({}, "block", { value: "no" })],
    ["a symbol", () => ({ [Symbol("block")]: "no" })],
    ["a proxy", () => new Proxy({}, { get: (_, key) => (key === "block" ? "no" : undefined) })],
  ] as const)("%s", async ([, said]) => {
    const session = await openHooked([{ name: "gate", beforeToolCall: said as () => undefined }]);
    expect(await callEcho(session)).toMatchObject({ kind: "blocked" });
  });
});

describe("what would hold nothing back is refused", () => {
  const named = (hook: object) => ({ hooks: [{ name: "gate", ...hook } as ToolHook] });
  test.for([
    [{ hooks: {} }, /hooks must be array/],
    [{ hooks: "gate" }, /hooks must be array/],
    [{ hooks: [null] }, /hooks: 0/],
    [{ hooks: [{ beforeToolCall: () => undefined }] }, /name/],
    [named({ beforeToolcall: () => undefined }), /Did you mean beforeToolCall/],
    [named({ beforeToolCall: "no" }), /function/],
    [named({}), /does nothing/],
    [{ approver: {} }, /ask/],
    [{ approver: null }, /ask/],
    [{ approvalTimeoutMs: -1 }, /milliseconds/],
    [{ approvalTimeoutMs: Number.NaN }, /milliseconds/],
    [{ approvalTimeoutMs: "5" }, /milliseconds/],
  ] as const)("%j", ([options, message]) => {
    expect(() => makeFactory(options as never)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTIONS", message: expect.stringMatching(message) }),
    );
  });
});
