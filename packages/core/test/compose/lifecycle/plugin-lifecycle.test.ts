import { Type } from "@sinclair/typebox";
import { describe, expect, expectTypeOf, test } from "vitest";
import { Registry } from "../../../src/compose/registry.ts";
import { definePlugin } from "../../../src/contract/define-plugin.ts";
import type { Plugin } from "../../../src/contract/registration.ts";
import { SessionFactory } from "../../../src/session/session-factory.ts";
import {
  answer,
  getCode,
  makeTool,
  memoryLogger,
  createTestPolicy,
  getOutcomeText,
  stubWorkspace,
  createThrower,
} from "../../support/kernel.ts";

function open(plugins: readonly Plugin[], factoryTimeoutMs = 10_000) {
  const logger = memoryLogger();
  const registry = new Registry({ plugins, factoryTimeoutMs, logger });
  const factory = new SessionFactory({ registry, policy: createTestPolicy(), logger });
  return {
    registry,
    logger,
    session: (sessionKey: string) => factory.open({ kind: "main", workspace: stubWorkspace(), sessionKey }),
  };
}

test("sets up a plugin once before its first factory, and disposes of it once", async () => {
  const events: string[] = [];
  const plugin = definePlugin({
    id: "pool",
    configSchema: Type.Object({ size: Type.Integer({ default: 2 }) }),
    async setup({ config, signal }) {
      expectTypeOf(config).toEqualTypeOf<{ size: number }>();
      await Promise.resolve();
      events.push(`setup ${config.size}`);
      signal.addEventListener("abort", () => events.push("abort"));
      return { open: config.size };
    },
    tools: [
      makeTool("still"),
      {
        names: ["ask"],
        factory: ({ config, state }) => {
          expectTypeOf(config).toEqualTypeOf<{ size: number }>();
          expectTypeOf(state).toEqualTypeOf<{ open: number }>();
          events.push(`factory ${state.open}`);
          return makeTool("ask", { execute: () => answer(`${state.open--}`) });
        },
      },
    ],
    dispose(state) {
      expectTypeOf(state).toEqualTypeOf<{ open: number }>();
      events.push(`dispose ${state.open}`);
    },
  });
  const { registry, session } = open([plugin]);
  await registry.survey(memoryLogger());
  expect(events).toEqual([]);
  const [one, two] = await Promise.all([session("a"), session("b")]);
  expect(getOutcomeText(await one.call({ name: "ask" }))).toBe("2");
  await one.close();
  expect(getOutcomeText(await two.call({ name: "ask" }))).toBe("1");
  expect(await registry.close()).toEqual([]);
  expect(await registry.close()).toEqual([]);
  expect(events).toEqual(["setup 2", "factory 2", "factory 2", "abort", "dispose 0"]);
  expect(await two.call({ name: "ask" })).toMatchObject({ code: "PLUGIN_DISPOSED", receipt: "none" });
});

test("sets up finished tools at their first call", async () => {
  let pool: string | undefined;
  const plugin = definePlugin({
    id: "pool",
    setup: () => {
      pool = "open";
    },
    tools: [makeTool("ask", { execute: () => answer(String(pool)) })],
  });
  const { session } = open([plugin]);
  const one = await session("a");
  expect(pool).toBeUndefined();
  expect(getOutcomeText(await one.call({ name: "ask" }))).toBe("open");
});

describe("a failed setup", () => {
  const never = new Promise<never>(() => {});
  const hostile = createThrower(new Error("hostile"));
  test.for<[string, () => unknown, string, RegExp]>([
    [
      "it throws",
      createThrower(new Error("no database")),
      "SETUP_FAILED",
      /The setup of plugin "bad" failed: no database\./,
    ],
    ["it rejects", () => Promise.reject(new Error("down")), "SETUP_FAILED", /failed: down/],
    ["it never ends", () => never, "SETUP_FAILED", /took longer than 20 ms/],
    [
      "what it answers throws",
      // Some objects throw at every look.
      () => new Proxy({}, { get: hostile }),
      "SETUP_FAILED",
      /hostile/,
    ],
  ])("loses only its own tools: %s", async ([, setup, code, message]) => {
    let times = 0;
    const bad = definePlugin({
      id: "bad",
      setup() {
        times++;
        return setup();
      },
      tools: [makeTool("still"), { names: ["ask"], factory: () => makeTool("ask") }],
    });
    const { session, registry } = open([bad, definePlugin({ id: "good", tools: [makeTool("good")] })], 20);
    for (const key of ["a", "b"]) {
      const one = await session(key);
      expect(one.tools().map(({ name }) => name)).toEqual(["still", "good"]);
      expect(one.diagnostics()).toMatchObject([
        { code, pluginId: "bad", names: ["ask"], message: expect.stringMatching(message) },
      ]);
      expect(getCode(await one.call({ name: "still" }))).toBe(code);
    }
    expect(times).toBe(1);
    expect(await registry.close()).toEqual([]);
  });

  test("is disposed of if it ends late", async () => {
    const late = Promise.withResolvers<string>();
    const ended = Promise.withResolvers<unknown>();
    const plugin = definePlugin({
      id: "late",
      setup: () => late.promise,
      tools: [{ names: ["ask"], factory: () => makeTool("ask") }],
      dispose: (state) => ended.resolve(state),
    });
    const { session } = open([plugin], 10);
    expect((await session("a")).diagnostics()).toMatchObject([{ code: "SETUP_FAILED" }]);
    late.resolve("pool");
    expect(await ended.promise).toBe("pool");
  });
});

describe("dispose", () => {
  const using = (parts: Partial<Plugin>) => ({
    ...definePlugin({ id: "p", tools: [{ names: ["ask"], factory: () => makeTool("ask") }] }),
    ...parts,
  });

  test("does not run without a setup", async () => {
    let ended = 0;
    const { registry } = open([using({ setup: () => 1, dispose: () => ended++ })]);
    await registry.close();
    expect(ended).toBe(0);
  });

  test.for<[string, () => unknown, RegExp]>([
    ["throws", createThrower(new Error("stuck")), /not disposed of: stuck/],
    ["never comes", () => new Promise(() => {}), /its dispose took longer than 20 ms/],
  ])("reports a function that %s", async ([, dispose, message]) => {
    const { session, registry, logger } = open([using({ dispose })], 20);
    await session("a");
    expect(await registry.close()).toMatchObject([
      { code: "DISPOSE_FAILED", pluginId: "p", message: expect.stringMatching(message) },
    ]);
    expect(logger.lines).toEqual([expect.stringMatching(message)]);
  });

  test("aborts a running setup", async () => {
    const begun = Promise.withResolvers<void>();
    const plugin = definePlugin({
      id: "p",
      setup: ({ signal }) => {
        begun.resolve();
        return new Promise<never>((_, reject) =>
          signal.addEventListener("abort", () => reject(new Error("stopped"))),
        );
      },
      tools: [{ names: ["ask"], factory: () => makeTool("ask") }],
    });
    const { session, registry } = open([plugin]);
    const opening = session("a");
    await begun.promise;
    expect(await registry.close()).toEqual([]);
    expect((await opening).diagnostics()).toMatchObject([{ code: "SETUP_FAILED" }]);
  });

  test("waits for running calls", async () => {
    const events: string[] = [];
    const running = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const plugin = definePlugin({
      id: "p",
      tools: [
        makeTool("slow", {
          async execute() {
            running.resolve();
            await go.promise;
            events.push("call");
            return answer("done");
          },
        }),
      ],
      dispose: () => events.push("dispose"),
    });
    const { session, registry } = open([plugin]);
    const one = await session("a");
    const call = one.call({ name: "slow" });
    await running.promise;
    const closing = registry.close();
    go.resolve();
    expect(getCode(await call)).toBe("ok");
    await closing;
    expect(events).toEqual(["call", "dispose"]);
  });

  test("does not run for plugins that the next registry continues", async () => {
    const events: string[] = [];
    const make = (id: string) =>
      definePlugin({
        id,
        setup: () => void events.push(`setup ${id}`),
        tools: [{ names: [id], factory: () => makeTool(id) }],
        dispose: () => void events.push(`dispose ${id}`),
      });
    const [stays, goes] = [make("stays"), make("goes")];
    const { session, registry } = open([stays, goes]);
    await session("a");
    const next = new Registry({ plugins: [stays, make("comes")], previous: registry });
    await next.setUp(new Set(["comes"]), memoryLogger());
    await registry.close(next);
    expect(events).toEqual(["setup stays", "setup goes", "setup comes", "dispose goes"]);
    await next.close();
    expect(events.slice(4).toSorted()).toEqual(["dispose comes", "dispose stays"]);
  });

  test("is followed by a new setup in the next registry after a failed setup", async () => {
    let isDown = true;
    const plugin = definePlugin({
      id: "p",
      setup: () => {
        if (isDown) throw new Error("down");
        return "up";
      },
      tools: [{ names: ["ask"], scope: "host", factory: ({ state }) => makeTool("ask", { label: state }) }],
    });
    const first = open([plugin]).registry;
    await first.survey(memoryLogger());
    isDown = false;
    const next = new Registry({ plugins: [plugin], previous: first });
    const factory = new SessionFactory({ registry: next, policy: createTestPolicy() });
    const session = await factory.open({ kind: "main", workspace: stubWorkspace() });
    expect(session.diagnostics()).toEqual([]);
    expect(session.tools()).toHaveLength(1);
  });
});
