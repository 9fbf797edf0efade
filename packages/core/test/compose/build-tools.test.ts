import { describe, expect, test } from "vitest";
import { HaftError } from "../../src/contract/errors.ts";
import type { PluginToolContext, PluginToolFactory } from "../../src/contract/registration.ts";
import {
  getCode,
  echo,
  factoryPlugin,
  createGate,
  makeTool,
  memoryLogger,
  openSession,
  createPlugin,
  getOutcomeText,
  waitUntilSettled,
  sleep,
  createThrower,
} from "../support/kernel.ts";

const good = createPlugin("good", [echo()]);
const hello = { value: "hello" };

describe("a factory", () => {
  const throwing = createThrower(new Error("no database"));
  const cases: [string, PluginToolFactory, string, RegExp][] = [
    ["throws", throwing, "FACTORY_FAILED", /no database/],
    ["rejects", () => Promise.reject(new Error("no database")), "FACTORY_FAILED", /no database/],
    ["throws a value without text", createThrower(Object.create(null)), "FACTORY_FAILED", /unreadable error/],
    ["never ends", () => createGate<never>().promise, "FACTORY_FAILED", /longer than 20 ms/],
    ["returns a number", () => 7 as never, "TOOL_INVALID", /number, not an object/],
    [
      "returns a tool without execute",
      () => ({ name: "bad" }) as never,
      "TOOL_INVALID",
      /execute is not a function/,
    ],
    ["returns a tool it did not declare", () => makeTool("other"), "TOOL_INVALID", /without declaring it/],
    ["returns a list that throws", () => new Proxy([], { get: throwing }), "FACTORY_FAILED", /no database/],
    [
      "returns an invalid promise",
      () => new Proxy({}, { get: throwing }) as never,
      "FACTORY_FAILED",
      /no database/,
    ],
    [
      "returns a tool with a hostile getter",
      () =>
        ({
          get name() {
            return throwing();
          },
        }) as never,
      "TOOL_INVALID",
      /reading it threw/,
    ],
  ];

  test("keeps the fix of its error", async () => {
    const failing = createThrower(
      new HaftError("NO_KEY", "there is no key", { category: "input", fix: "Set WEATHER_KEY." }),
    );
    const session = await openSession({ plugins: [factoryPlugin("bad", ["bad"], failing)] });
    expect(session.diagnostics()).toMatchObject([{ code: "FACTORY_FAILED", fix: "Set WEATHER_KEY." }]);
  });

  test.for(cases)("loses only its own tools if it %s", async ([_what, factory, code, message]) => {
    const logger = memoryLogger();
    const session = await openSession({
      plugins: [factoryPlugin("bad", ["bad"], factory), good],
      registry: { factoryTimeoutMs: 20, logger },
    });
    expect(session.tools().map(({ name }) => name)).toEqual(["echo"]);
    expect(session.diagnostics()).toMatchObject([
      { code, pluginId: "bad", message: expect.stringMatching(message) },
    ]);
    expect(session.diagnostics()[0]!.fix).not.toBe("");
    expect(logger.lines).toHaveLength(1);
    expect(getCode(await session.call({ name: "echo", arguments: hello }))).toBe("ok");
  });

  test("explains its missing tool to a call and in the list of missing tools", async () => {
    const session = await openSession({ plugins: [factoryPlugin("bad", ["bad"], throwing), good] });
    for (const name of ["bad", "bad/bad", "functions.bad"]) {
      const outcome = await session.call({ name });
      expect(outcome).toMatchObject({ kind: "error", code: "TOOL_UNAVAILABLE", category: "operational" });
      expect(getOutcomeText(outcome)).toContain("no database");
    }
    expect(session.missing()).toMatchObject([{ id: "bad/bad", name: "bad", code: "FACTORY_FAILED" }]);
    expect(await session.explain("bad")).toMatchObject({ found: "broken", verdict: "broken" });
  });

  test("loses only the invalid tools among several", async () => {
    const factory = () => [makeTool("one"), { name: "two" } as never, makeTool("three"), makeTool("one")];
    const session = await openSession({ plugins: [factoryPlugin("p", ["one", "two", "three"], factory)] });
    expect(session.tools().map(({ name }) => name)).toEqual(["one", "three"]);
    expect(session.diagnostics()).toMatchObject([
      { code: "TOOL_INVALID", names: ["two"] },
      { code: "TOOL_INVALID", names: ["one"], message: expect.stringContaining("twice") },
    ]);
  });

  test("returns null or an empty list for no tool, without a diagnostic", async () => {
    const session = await openSession({
      plugins: [factoryPlugin("a", ["a"], () => null), factoryPlugin("b", ["b"], () => []), good],
    });
    expect(session.diagnostics()).toEqual([]);
    expect(session.tools().map(({ name }) => name)).toEqual(["echo"]);
  });

  test("is reported and ignored if it ends after its deadline", async () => {
    let signal: AbortSignal | undefined;
    const factory = async (context: PluginToolContext) => {
      signal = context.signal;
      await new Promise((resolve) => signal!.addEventListener("abort", resolve));
      return makeTool("slow");
    };
    const session = await openSession({
      plugins: [factoryPlugin("p", ["slow"], factory)],
      registry: { factoryTimeoutMs: 10 },
    });
    await waitUntilSettled();
    expect(signal!.aborted).toBe(true);
    expect(session.tools()).toEqual([]);
  });

  test("can have no deadline", async () => {
    const factory = () => sleep(20).then(() => makeTool("slow"));
    const session = await openSession({
      plugins: [factoryPlugin("p", ["slow"], factory)],
      registry: { factoryTimeoutMs: Infinity },
    });
    expect(session.tools()).toHaveLength(1);
  });
});
