import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import {
  answer,
  getCode,
  createGate,
  makeTool,
  openSession,
  getOutcomeText,
  createThrower,
} from "../support/kernel.ts";

afterEach(() => vi.useRealTimers());

/** A tool whose schema judges as it is told to. */
const judged = (validate: (value: Record<string, unknown>) => unknown) =>
  makeTool("show", {
    parameters: {
      "~standard": {
        version: 1,
        vendor: "hostile",
        validate,
        jsonSchema: { input: () => ({ type: "object", properties: { a: { type: "string" } } }) },
      },
    } as never,
    execute: (_id, params) => answer(JSON.stringify(params)),
  });

async function call(validate: (value: Record<string, unknown>) => unknown) {
  const session = await openSession({ tools: [judged(validate), makeTool("other")] });
  const outcome = await session.call({ name: "show", arguments: { a: "b" } });
  // It costs that call alone.
  expect(getCode(await session.call({ name: "other", arguments: {} }))).toBe("ok");
  return { outcome, args: session.ledger()[0]!.args };
}

const throwing = createThrower(new Error("no"));

describe("a schema of a library", () => {
  const cases: [string, (value: Record<string, unknown>) => unknown, RegExp][] = [
    ["it throws", throwing, /The schema of show failed: no/],
    [
      "it throws a string",
      () => {
        // oxlint-disable-next-line typescript/only-throw-error, no-throw-literal
        throw "later";
      },
      /The schema of show failed: later/,
    ],
    ["it rejects", async () => throwing(), /The schema of show failed: no/],
    ["it answers nothing", () => undefined, /returned nothing instead of a result/],
    ["it answers a text", () => "yes", /returned string "yes"/],
    [
      "its answer throws when it is read",
      () => ({
        get value() {
          return throwing();
        },
      }),
      /failed: no/,
    ],
    ["its answer is a proxy that throws", () => new Proxy({}, { get: throwing }), /failed: no/],
    [
      "its promise throws when it is looked at",
      () => ({
        // oxlint-disable-next-line unicorn/no-thenable
        get then() {
          return throwing();
        },
      }),
      /failed: no/,
    ],
    [
      "its output throws when it is read",
      () => ({
        value: {
          get a() {
            return throwing();
          },
        },
      }),
      /failed: no/,
    ],
    [
      "its output is endless",
      () => ({
        value: new Proxy(
          {},
          {
            ownKeys: () => ["a"],
            getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
            get: (_target, key, self) => (key === "a" ? self : undefined),
          },
        ),
      }),
      /contains itself|not a JSON object/,
    ],
    [
      "its output is too large",
      () => ({ value: { a: "x".repeat(9_000_000) } }),
      /larger than 8,000,000 characters/,
    ],
    [
      "its output is too deep",
      () => {
        let value: object = {};
        for (let level = 0; level < 300; level++) value = { value };
        return { value };
      },
      /nested deeper than 200 levels/,
    ],
    [
      "its output renames the prototype",
      () => ({ value: JSON.parse('{"a":{"__proto__":{"admin":true}}}') }),
      /__proto__/,
    ],
    ["its issues are no list", () => ({ issues: "all of it" }), /issues that are not a list/],
  ];
  test.for(cases)("fails only its call: %s", async ([_what, validate, problem]) => {
    const { outcome } = await call(validate);
    expect(getCode(outcome)).toBe("TOOL_INVALID");
    expect(getOutcomeText(outcome)).toMatch(problem);
    expect(outcome.receipt).toBe("none");
  });

  test("may return issues in any shape", async () => {
    const shapes: unknown[][] = [
      [],
      [undefined, null, 5, { message: 1 }, { path: "a" }],
      [{ message: "m".repeat(10_000), path: Array.from({ length: 10_000 }, () => ({ key: Symbol("s") })) }],
      Array.from({ length: 10_000 }, () => ({ message: "no", path: ["a"] })),
    ];
    for (const issues of shapes) {
      const { outcome } = await call(() => ({ issues }));
      expect(getCode(outcome)).toBe("INVALID_ARGUMENTS");
      expect(JSON.stringify(outcome).length).toBeLessThan(20_000);
    }
  });

  test("may change its input without an effect", async () => {
    const { outcome, args } = await call((value) => {
      value["a"] = "changed";
      return { issues: [{ message: "no" }] };
    });
    expect(getCode(outcome)).toBe("INVALID_ARGUMENTS");
    expect(args).toEqual({ a: "b" });
  });

  test("may change its output without an effect after it was read", async () => {
    const value = { a: "first" };
    const session = await openSession({ tools: [judged(() => ({ value }))] });
    const calling = session.call({ name: "show", arguments: { a: "b" } });
    value.a = "second";
    expect(getOutcomeText(await calling)).toBe('{"a":"first"}');
    value.a = "third";
    expect(session.ledger()[0]!.args).toEqual({ a: "first" });
  });

  test("never gets a text for which its pattern takes forever", async () => {
    const parameters = z.object({ a: z.string().regex(/^(a+)+$/) });
    const session = await openSession({ tools: [{ ...judged(throwing), parameters } as never] });
    const outcome = await session.call({ name: "show", arguments: { a: `${"a".repeat(64)}!` } });
    expect(getCode(outcome)).toBe("INVALID_ARGUMENTS");
    expect(getOutcomeText(await session.call({ name: "show", arguments: { a: "aaa" } }))).toBe('{"a":"aaa"}');
  });

  test("is late if it never answers", async () => {
    const session = await openSession({
      tools: [judged(async () => new Promise(() => {})), makeTool("other")],
    });
    await session.call({ name: "other", arguments: {} });
    vi.useFakeTimers();
    const calling = session.call({ name: "show", arguments: { a: "b" } });
    await vi.advanceTimersByTimeAsync(15_000);
    const outcome = await calling;
    expect(getCode(outcome)).toBe("TOOL_INVALID");
    expect(getOutcomeText(outcome)).toMatch(/took longer than 15 s/);
  });

  test("can be cancelled during the wait, and nothing runs", async () => {
    const started = createGate();
    const ran: string[] = [];
    const never = async () => {
      started.resolve();
      return new Promise(() => {});
    };
    const tool = {
      ...judged(never),
      execute: (id: string) => {
        ran.push(id);
        return answer("");
      },
    };
    const session = await openSession({ tools: [tool] });
    const stop = new AbortController();
    const calling = session.call({ name: "show", arguments: { a: "b" } }, { signal: stop.signal });
    await started.promise;
    stop.abort();
    expect(getCode(await calling)).toBe("CANCELLED");
    expect(ran).toEqual([]);
  });
});
