import { fc, test as property } from "@fast-check/vitest";
import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import type { ToolHook } from "../../src/contract/hooks.ts";
import type { CallOptions, CallRequest } from "../../src/kernel/call-options.ts";
import { MAX_JSON_DEPTH } from "../../src/parameters/schema/json-bounds.ts";
import type { Session } from "../../src/session/session.ts";
import { callEcho, openHookedSession } from "../support/hooks.ts";
import {
  answer,
  getCode,
  decide,
  echo,
  eventTypes,
  createGate,
  makeFactory,
  makeTool,
  openSession,
  createTestPolicy,
  waitUntilSettled,
  createThrower,
  watch,
} from "../support/kernel.ts";

/** The outcome of a request that no type would let through. */
async function call(session: Session, request: unknown) {
  return session.call(request as CallRequest);
}

function circle(): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  return Object.assign(value, { one: value, other: value, list: [value, value] });
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = { deeper: value };
  return value;
}

const throwing = createThrower(new Error("trap"));
const hostile = new Proxy({}, { get: throwing, has: throwing, ownKeys: throwing, getPrototypeOf: throwing });
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

const open = () =>
  openSession({
    tools: [echo(), makeTool("any", { parameters: Type.Object({}, { additionalProperties: true }) })],
  });

describe("call()", () => {
  const shapes: [string, unknown][] = [
    ["null", null],
    ["undefined", undefined],
    ["a number", 5],
    ["a string", "read"],
    ["an array", []],
    ["an empty object", {}],
    ["a proxy whose every trap throws", hostile],
    ["a revoked proxy", revoked],
    ["a name that is a proxy", { name: hostile }],
    [
      "a getter that throws",
      Object.defineProperty({ name: "any" }, "arguments", { get: throwing, enumerable: true }),
    ],
    [
      "an id whose getter throws",
      Object.defineProperty({ name: "any" }, "id", { get: throwing, enumerable: true }),
    ],
    ["arguments in a circle", { name: "any", arguments: circle() }],
    ["arguments in a circle, for no tool", { name: "nobody", arguments: circle() }],
    ["arguments nested 100,000 deep", { name: "any", arguments: nested(100_000) }],
    ["arguments that are a proxy", { name: "any", arguments: hostile }],
    ["arguments with a proxy inside", { name: "any", arguments: { inside: [revoked] } }],
    [
      "arguments with a getter that throws",
      { name: "any", arguments: Object.defineProperty({}, "a", { get: throwing, enumerable: true }) },
    ],
    ["arguments that are a function", { name: "any", arguments: () => 1 }],
    ["a bigint inside", { name: "any", arguments: { a: 1n } }],
    ["a symbol inside", { name: "any", arguments: { a: Symbol("s") } }],
    ["a date inside", { name: "any", arguments: { a: new Date() } }],
    [
      "an array with an endless length",
      { name: "any", arguments: { a: Object.assign([], { length: 4_000_000_000 }) } },
    ],
  ];

  test.for(shapes)("never rejects or hangs, and returns the true outcome: %s", async ([_what, request]) => {
    const session = await open();
    const events = watch(session);
    const outcome = await call(session, request);
    expect(outcome).toMatchObject({ kind: "error", category: "input", receipt: "none" });
    expect(session.ledger()).toMatchObject([
      { toolCallId: outcome.toolCallId, status: "failed", code: getCode(outcome) },
    ]);
    expect(eventTypes(events).filter((type) => type === "tool-end")).toHaveLength(1);
    expect(() => JSON.stringify([outcome, session.ledger()])).not.toThrow();
    await session.close();
  });

  test("accepts missing and null options", async () => {
    const session = await open();
    expect(getCode(await session.call({ name: "any" }, null as never))).toBe("ok");
  });

  test("refuses JSON text nested 100,000 deep", async () => {
    const session = await open();
    const outcome = await call(session, {
      name: "any",
      arguments: `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
    });
    expect(session.ledger()).toMatchObject([{ status: outcome.kind === "ok" ? "completed" : "failed" }]);
  });

  test("refuses a value repeated in itself a million million times", async () => {
    let value: unknown = ["x".repeat(50)];
    for (let i = 0; i < 40; i++) value = [value, value];
    const session = await open();
    expect(getCode(await call(session, { name: "any", arguments: { value } }))).toBe("ARGUMENTS_TOO_LARGE");
  });

  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  const request = fc.oneof(
    anything,
    fc.record({ id: anything, name: anything, arguments: anything }, { requiredKeys: [] }),
    fc.record({
      name: fc.constantFrom("echo", "any", "Echo", "functions.any", "t/echo"),
      arguments: anything,
    }),
    fc.record({
      name: fc.constantFrom("echo", "any"),
      arguments: fc.json().map((json) => json.slice(0, -1)),
    }),
    fc.record({ name: fc.string(), arguments: fc.string() }),
  );

  property.prop([fc.array(request, { maxLength: 12 })])(
    "whatever arrives, the books are right",
    async (requests) => {
      const session = await open();
      const events = watch(session);
      for (const one of requests) {
        const before = session.ledger().length;
        const outcome = await call(session, one);
        const written = session.ledger().slice(before);
        if (getCode(outcome) === "INVALID_CALL_ID" || getCode(outcome) === "DUPLICATE_CALL_ID") {
          expect(written).toEqual([]);
          continue;
        }
        expect(written).toHaveLength(1);
        expect(written[0]).toMatchObject({
          toolCallId: outcome.toolCallId,
          status: outcome.kind === "ok" ? "completed" : "failed",
          outcome: outcome.kind,
          receipt: outcome.receipt,
        });
        expect(outcome.content.length).toBeGreaterThan(0);
      }
      expect(eventTypes(events).filter((type) => type === "tool-end")).toHaveLength(session.ledger().length);
      await session.close();
    },
  );
});

describe("the decided arguments", () => {
  test("run even if the caller changes them during the approval", async () => {
    const ran: unknown[] = [];
    const execute = (_id: string, params: object) => {
      ran.push({ ...params });
      return answer("done");
    };
    const { promise, resolve } = createGate<"allow-once">();
    const session = await openSession({
      tools: [echo("echo", { execute })],
      policy: createTestPolicy({ call: () => "ask" }),
      approver: { ask: () => promise },
    });
    const given = { value: "harmless" };
    const outcome = session.call({ name: "echo", arguments: given });
    await waitUntilSettled();
    given.value = "rm -rf /";
    resolve("allow-once");
    await outcome;
    expect(ran).toEqual([{ value: "harmless" }]);
    expect(session.ledger()[0]!.args).toEqual({ value: "harmless" });
  });

  test("run as read once from a getter that changes", async () => {
    const seen: string[] = [];
    let reads = 0;
    const given = {
      get value() {
        return reads++ === 0 ? "harmless" : "rm -rf /";
      },
    };
    const session = await openSession({
      tools: [echo()],
      policy: createTestPolicy({
        call: (_tool, args) => {
          seen.push((args as { value: string }).value);
          return "allow";
        },
      }),
    });
    const outcome = await session.call({ name: "echo", arguments: given });
    expect(seen).toEqual(["harmless"]);
    expect(outcome.content).toMatchObject([{ text: "harmless" }]);
  });

  test("are not covered by a grant if they differ at the deepest level", async () => {
    const tool = makeTool("any", { parameters: Type.Object({}, { additionalProperties: true }) });
    const session = await openSession({ tools: [tool], policy: createTestPolicy({ call: () => "ask" }) });
    const nested = (levels: number, leaf: string) =>
      `${'{"a":'.repeat(levels)}"${leaf}"${"}".repeat(levels)}`;
    const deepCall = await session.call({ name: "any", arguments: nested(MAX_JSON_DEPTH, "harmless") });
    const decided = session.resolveApproval((deepCall as { approvalId: string }).approvalId, "allow-always");
    await decided.catch((error: unknown) => expect(error).toMatchObject({ code: "INVALID_DECISION" }));
    expect(await session.call({ name: "any", arguments: nested(MAX_JSON_DEPTH, "rm -rf /") })).toMatchObject({
      kind: "pending",
    });
    const tooDeep = await session.call({ name: "any", arguments: nested(MAX_JSON_DEPTH + 1, "rm -rf /") });
    expect(getCode(tooDeep)).toBe("ARGUMENTS_TOO_LARGE");
  });

  test("change no prototype by __proto__", async () => {
    const session = await open();
    await session.call({ name: "any", arguments: '{"__proto__": {"admin": true}}' });
    await session.call({ name: "any", arguments: JSON.parse('{"__proto__": {"admin": true}}') });
    expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
    for (const { args } of session.ledger())
      expect((args as Record<string, unknown>)["admin"]).toBeUndefined();
  });
});

describe("a failing policy", () => {
  const policies: [string, () => unknown, string][] = [
    ["throws", throwing, "INTERNAL"],
    ["answers with an unknown effect", () => decide("maybe" as "allow"), "POLICY_DENIED"],
    ["answers with nothing", () => undefined, "INTERNAL"],
  ];

  test.for(policies)("that %s allows nothing", async ([_what, decideCall, code]) => {
    let runs = 0;
    const session = await openSession({
      tools: [makeTool("act", { execute: () => answer(`${++runs}`) })],
      policy: { forSession: () => ({ visibility: () => decide("allow"), call: decideCall as () => never }) },
    });
    const outcome = await session.call({ name: "act" });
    expect(getCode(outcome)).toBe(code);
    expect(runs).toBe(0);
    expect(session.ledger()).toMatchObject([{ status: "failed", receipt: "none" }]);
  });
});

describe("an invalid sender", () => {
  test.for([
    { sender: { id: 7 } },
    { sender: "id:7" },
    { sender: ["7"] },
    { sender: null },
    { sender: { ID: "7" } },
    { Sender: { id: "7" } },
    { sendr: { id: "7" } },
    { deadlineMs: Number.NaN },
  ])("prevents the call: %j", async (options) => {
    let ran = false;
    const run = echo("echo", {
      execute: async () => {
        ran = true;
        return { content: [], details: {} };
      },
    });
    const session = await openSession({ tools: [run] });
    const outcome = await session.call({ name: "echo", arguments: { value: "a" } }, options as CallOptions);
    expect([outcome.kind, getCode(outcome)]).toEqual(["error", "INVALID_OPTIONS"]);
    expect(ran).toBe(false);
  });
});

describe("an invalid answer of a hook", () => {
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
  ] as const)("blocks the call: %s", async ([, expected]) => {
    const session = await openHookedSession([{ name: "gate", beforeToolCall: expected as () => undefined }]);
    expect(await callEcho(session)).toMatchObject({ kind: "blocked" });
  });
});

describe("an invalid option that would remove a restriction", () => {
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
  ] as const)("is refused: %j", ([options, message]) => {
    expect(() => makeFactory(options as never)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTIONS", message: expect.stringMatching(message) }),
    );
  });
});
