import { describe, expect, test } from "vitest";
import { HaftError } from "../../src/contract/errors.ts";
import { checkOptions, checkValue, optionsSchema } from "../../src/parameters/check-options.ts";
import type { SessionOptions } from "../../src/session/session-options.ts";
import { echo, makeFactory, openSession, stubWorkspace } from "../support/kernel.ts";

interface Options {
  parent?: unknown;
  name?: string;
  kind?: "main" | "group";
  waitMs?: number;
  ask?: () => void;
  backend?: unknown;
  inner?: { deny?: string };
}
const schema = optionsSchema<Options>({
  parent: {},
  name: { type: "string", description: "What it is called." },
  kind: { enum: ["main", "group"] },
  waitMs: { "haft:kind": "milliseconds" },
  ask: { "haft:kind": "function" },
  backend: { anyOf: [{ enum: ["auto", "docker"] }, { "haft:kind": "object" }] },
  inner: optionsSchema<{ deny?: string }>({ deny: { type: "string" } }),
});

class Misspelled {
  readonly nmae = "";
}

/** As a program without types would call it. */
function failureOf(given: unknown): HaftError {
  try {
    checkOptions("open", given, schema);
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

describe("options", () => {
  test("are accepted if they exist, also if they are undefined", () => {
    for (const given of [
      {},
      { parent: 1, name: "", kind: "main", inner: { deny: "x" } },
      { name: undefined, inner: undefined },
      { waitMs: Number.POSITIVE_INFINITY, ask: () => undefined, backend: new Map() },
      new (class {
        readonly name = "of a class";
      })(),
    ]) {
      expect(() => checkOptions("open", given as Options, schema)).not.toThrow();
    }
  });

  test.for([
    [{ parentSession: {} }, /^open has no option "parentSession"\. Did you mean parent\?$/],
    [{ xyz: 1 }, /^open has no option "xyz"\.$/],
    [{ toString: 1 }, /no option "toString"/],
    [{ inner: { denny: "x" } }, /^open: inner has no option "denny"\. Did you mean deny\?$/],
    [{ inner: "deny" }, /^open: inner must be object of options, received string "deny"/],
    [{ name: 5 }, /^open: name must be string, received number 5\.$/],
    [
      { kind: "gruop" },
      /^open: kind must be one of "main", "group", received string "gruop"\. Did you mean group\?$/,
    ],
    [{ kind: null }, /received null/],
    [{ xyz: undefined }, /^open has no option "xyz"\.$/],
    [new Misspelled(), /no option "nmae"\. Did you mean name/],
    [{ waitMs: Number.NaN }, /^open: waitMs must be number of milliseconds, received number NaN\.$/],
    [{ waitMs: -1 }, /number of milliseconds/],
    [{ ask: {} }, /^open: ask must be function, received empty object\.$/],
    [
      { backend: "dokcer" },
      /^open: backend must be one of "auto", "docker" or object, received string "dokcer"\. Did you mean docker\?$/,
    ],
    [null, /^open takes an object of options, received null/],
    [[], /received empty array/],
    ["x".repeat(10_000), /^.{0,200}$/],
  ] as const)("are refused: %o", ([given, message]) => {
    const failure = failureOf(given);
    expect(failure).toMatchObject({ code: "INVALID_OPTIONS", category: "input", receipt: "none" });
    expect(failure.message).toMatch(message);
    expect(failure.fix).toBeTypeOf("string");
  });

  test("have errors with their purpose or the existing names", () => {
    expect(failureOf({ name: 5 }).fix).toBe("Correct name: What it is called.");
    expect(failureOf({ xyz: 1 }).fix).toBe("Valid options: parent, name, kind, waitMs, ask, backend, inner.");
  });

  test("exclude inherited keys", () => {
    expect(failureOf(JSON.parse('{"__proto__": {}}')).message).toContain("__proto__");
  });
});

describe("the options of a session", () => {
  const factory = () => makeFactory({ tools: [echo()] });
  const workspace = stubWorkspace();

  test.for([
    [{ kind: "main", parentSession: {} }, /Did you mean parent/],
    [{ kind: "gruop" }, /Did you mean group/],
    [{}, /kind must be one of "main", "group", "sandboxed", received nothing/],
    [{ kind: "group", sender: "sytem" }, /sender/],
    [{ kind: "group", sender: { userId: "1" } }, /sender has no option "userId"/],
    [{ kind: "main", parent: {} }, /parent\.kind must be one of/],
    [{ kind: "main", parent: { kind: "group", agent: "x" } }, /Did you mean agentId/],
    [{ kind: "main", model: { contexTokens: 5 } }, /Did you mean contextTokens/],
  ] as const)("are refused if they would be ignored: %o", async ([options, message]) => {
    const given = { workspace, ...options } as unknown as SessionOptions;
    for (const opened of [() => factory().open(given), () => factory().preview(given)]) {
      await expect(opened()).rejects.toMatchObject({
        code: "INVALID_OPTIONS",
        message: expect.stringMatching(message),
      });
    }
  });

  test("accept facts as a parent, and refuse a session", async () => {
    const parent = await openSession({ tools: [echo()] });
    const given = (one: unknown) => ({ kind: "main", workspace, parent: one }) as unknown as SessionOptions;
    await expect(factory().open(given(parent))).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
    expect((await factory().open(given(parent.facts))).facts.parent).toEqual(parent.facts);
  });

  test("are checked in a factory as well", () => {
    const misspelled = { hook: [] } as object;
    expect(() => makeFactory({ tools: [echo()], ...misspelled })).toThrow(/no option "hook".*hooks/);
  });
});

const RULE = {
  type: "object",
  properties: { tool: { type: "string" }, effect: { enum: ["allow", "deny"] } },
  required: ["tool"],
  additionalProperties: false,
};
const DOCUMENT = { type: "object", properties: { rules: { type: "array", items: RULE } } };

describe("the issues of a document", () => {
  test("have the path to each location", () => {
    const document = { rules: [{ effect: "alow" }, { tool: "write", efect: "deny" }, 5] };
    expect(checkValue(DOCUMENT, document)).toEqual([
      {
        kind: "wrong",
        path: ["rules", 0, "effect"],
        expected: 'one of "allow", "deny"',
        received: 'string "alow"',
        known: ["allow", "deny"],
        near: ["allow"],
      },
      {
        kind: "missing",
        path: ["rules", 0, "tool"],
        expected: "string",
        received: "nothing",
        known: [],
        near: [],
      },
      {
        kind: "unknown",
        path: ["rules", 1, "efect"],
        expected: "no such parameter",
        received: 'string "deny"',
        known: ["tool", "effect"],
        near: ["effect"],
      },
      { kind: "wrong", path: ["rules", 2], expected: "object", received: "number 5", known: [], near: [] },
    ]);
  });

  test("number ten, or the requested limit", () => {
    const document = { rules: Array.from({ length: 50 }, () => 5) };
    expect(checkValue(DOCUMENT, document)).toHaveLength(10);
    expect(checkValue(DOCUMENT, document, 3)).toHaveLength(3);
    expect(checkValue(DOCUMENT, document, 100)).toHaveLength(50);
  });

  test("are empty for a valid document", () => {
    expect(checkValue(DOCUMENT, { rules: [{ tool: "read" }] })).toEqual([]);
  });
});
