import { describe, expect, test } from "vitest";
import { checkOptions } from "../../src/compose/check-options.ts";
import { HaftError } from "../../src/contract/errors.ts";
import type { SessionOptions } from "../../src/kernel/session-factory.ts";
import { echo, makeFactory, openSession, stubWorkspace } from "../support/kernel.ts";

interface Options {
  parent?: unknown;
  name?: string;
  kind?: "main" | "group";
  inner?: { deny?: string };
}
const checks = { parent: "any", name: "text", kind: ["main", "group"], inner: { deny: "text" } } as const;

/** As a program without types would call it. */
function failureOf(given: unknown): HaftError {
  try {
    checkOptions("open", given as Options, checks);
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

describe("options", () => {
  test("that exist pass, also undefined ones", () => {
    for (const given of [
      {},
      { parent: 1, name: "", kind: "main", inner: { deny: "x" } },
      { name: undefined, inner: undefined },
    ]) {
      expect(() => checkOptions("open", given as Options, checks)).not.toThrow();
    }
  });

  test.for([
    [{ parentSession: {} }, /^open has no option "parentSession"\. Did you mean parent\?$/],
    [{ xyz: 1 }, /^open has no option "xyz"\.$/],
    [{ toString: 1 }, /no option "toString"/],
    [{ inner: { denny: "x" } }, /^open: inner has no option "denny"\. Did you mean deny\?$/],
    [{ inner: "deny" }, /^open: inner takes an object of options, and got "deny"/],
    [{ name: 5 }, /^open: name is a text, and got number/],
    [{ kind: "gruop" }, /^open: kind is one of main, group, and got "gruop"\. Did you mean group\?$/],
    [{ kind: null }, /and got null/],
    [null, /^open takes an object of options, and got null/],
    [[], /got a list/],
    ["x".repeat(10_000), /^.{0,200}$/],
  ] as const)("%o are refused", ([given, message]) => {
    const failure = failureOf(given);
    expect(failure).toMatchObject({ code: "INVALID_OPTIONS", category: "input", receipt: "none" });
    expect(failure.message).toMatch(message);
    expect(failure.fix).toBeTypeOf("string");
  });

  test("a key that is inherited is none of theirs", () => {
    expect(failureOf(JSON.parse('{"__proto__": {}}')).message).toContain("__proto__");
  });
});

describe("a session is not opened with options that would be ignored", () => {
  const factory = () => makeFactory({ tools: [echo()] });
  const workspace = stubWorkspace();

  test.for([
    [{ kind: "main", parentSession: {} }, /Did you mean parent/],
    [{ kind: "gruop" }, /Did you mean group/],
    [{}, /kind is one of main, group, sandboxed/],
    [{ kind: "group", sender: "sytem" }, /sender/],
    [{ kind: "group", sender: { userId: "1" } }, /sender has no option "userId"/],
    [{ kind: "main", parent: {} }, /parent \(the facts of a session\): kind/],
    [{ kind: "main", parent: { kind: "group", agent: "x" } }, /Did you mean agentId/],
    [{ kind: "main", model: { contexTokens: 5 } }, /Did you mean contextTokens/],
  ] as const)("%o", async ([options, message]) => {
    const given = { workspace, ...options } as unknown as SessionOptions;
    for (const opened of [() => factory().open(given), () => factory().preview(given)]) {
      await expect(opened()).rejects.toMatchObject({
        code: "INVALID_OPTIONS",
        message: expect.stringMatching(message),
      });
    }
  });

  test("a session is not its facts, which are a parent", async () => {
    const parent = await openSession({ tools: [echo()] });
    const given = (one: unknown) => ({ kind: "main", workspace, parent: one }) as unknown as SessionOptions;
    await expect(factory().open(given(parent))).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
    expect((await factory().open(given(parent.facts))).facts.parent).toEqual(parent.facts);
  });

  test("nor is a factory made with them", () => {
    const misspelled = { hook: [] } as object;
    expect(() => makeFactory({ tools: [echo()], ...misspelled })).toThrow(/no option "hook".*hooks/);
  });
});
