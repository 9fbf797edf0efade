import { describe, expect, test } from "vitest";
import type { PluginToolContext } from "../../src/contract/registration.ts";
import type { ToolContext } from "../../src/contract/tool.ts";
import type { SessionOptions } from "../../src/session/session-options.ts";
import {
  answer,
  factoryPlugin,
  makeFactory,
  makeTool,
  openSession,
  getOutcomeText,
  stubWorkspace,
} from "../support/kernel.ts";

const workspace = stubWorkspace();

/** Opens sessions of one key, one after the other, and says how often the factory was run. */
async function timesRun(
  read: (context: PluginToolContext) => unknown,
  ...opened: readonly Partial<SessionOptions>[]
): Promise<number> {
  let times = 0;
  const factory = makeFactory({
    plugins: [
      factoryPlugin("p", ["act"], (context) => {
        times++;
        read(context);
        return makeTool("act");
      }),
    ],
  });
  for (const options of opened) await factory.open({ kind: "main", workspace, sessionKey: "s", ...options });
  return times;
}

describe("the context of a factory", () => {
  test("is complete when the session opens", async () => {
    const seen: PluginToolContext[] = [];
    await openSession({
      plugins: [
        factoryPlugin("p", ["act"], (context) => {
          seen.push({ ...context });
          return makeTool("act");
        }),
      ],
      open: {
        kind: "group",
        groupId: "room",
        messageChannel: "telegram",
        model: { name: "x/y", images: false },
        sender: { id: "7" },
      },
    });
    expect(seen[0]).toMatchObject({
      sessionKind: "group",
      groupId: "room",
      messageChannel: "telegram",
      model: { name: "x/y", contextTokens: 128_000, images: false },
      sandboxed: false,
      state: undefined,
    });
    expect(seen[0]).not.toHaveProperty("sender");
  });

  test.for<[string, (context: PluginToolContext) => unknown, Partial<SessionOptions>]>([
    ["its kind", ({ sessionKind }) => sessionKind, { kind: "group" }],
    ["its group", ({ groupId }) => groupId, { groupId: "other" }],
    ["its channel", ({ messageChannel }) => messageChannel, { messageChannel: "mail" }],
    ["its model", ({ model }) => model.name, { model: { name: "other" } }],
    ["its workspace", (context) => context.workspace, { workspace: stubWorkspace() }],
    ["its signal", ({ signal }) => signal, {}],
    ["all of it", (context) => ({ ...context }), { groupId: "other" }],
  ])("makes the factory run again if it read the changed part: %s", async ([, read, other]) => {
    expect(await timesRun(read, {}, other)).toBe(2);
    expect(await timesRun(() => {}, {}, other)).toBe(1);
    expect(await timesRun((context) => context.agentId, {}, other)).toBe(1);
  });

  test("counts an equal model as the same", async () => {
    const model = { name: "x", contextTokens: 5 };
    expect(await timesRun((context) => context.model, { model }, { model: { ...model } })).toBe(1);
  });

  test("is never shared between sessions", async () => {
    expect(await timesRun(() => {}, {}, { sessionKey: "t" }, { agentId: "b" })).toBe(3);
  });

  test("is correct if a tool reads it late, or fails if it cannot be", async () => {
    const factory = makeFactory({
      plugins: [
        factoryPlugin("p", ["act"], (context) =>
          makeTool("act", { execute: () => answer(context.model.name) }),
        ),
      ],
    });
    const open = (name: string) =>
      factory.open({ kind: "main", workspace, sessionKey: "s", model: { name } });
    const first = await open("one");
    expect(getOutcomeText(await first.call({ name: "act" }))).toBe("one");
    const second = await open("two");
    expect(getOutcomeText(await second.call({ name: "act" }))).toBe("two");
    const other = makeFactory({
      plugins: [
        factoryPlugin("p", ["act"], (context) =>
          makeTool("act", { execute: () => answer(context.model.name) }),
        ),
      ],
    });
    await other.open({ kind: "main", workspace, sessionKey: "s", model: { name: "one" } });
    const late = await other.open({ kind: "main", workspace, sessionKey: "s", model: { name: "two" } });
    expect(await late.call({ name: "act" })).toMatchObject({
      kind: "error",
      code: "PLUGIN_INVALID",
      details: { message: expect.stringContaining("read model") },
    });
  });

  test("is a copy for each factory", async () => {
    const vandal = factoryPlugin("a", ["a"], (context) => {
      Object.assign(context, { config: "gone", logger: undefined });
      for (const key of ["agentId", "workspace", "model"]) delete (context as never)[key];
      try {
        Object.assign(context.model ?? {}, { name: "hacked" });
      } catch {
        // A frozen one.
      }
      return makeTool("a");
    });
    let seen: PluginToolContext | undefined;
    const victim = factoryPlugin("b", ["b"], (context) => {
      seen = context;
      return makeTool("b", { execute: (...[, , , , { model }]) => answer(model.name) });
    });
    const session = await openSession({ plugins: [vandal, victim], open: { model: { name: "m" } } });
    expect(seen).toMatchObject({ agentId: "main", model: { name: "m" } });
    expect(getOutcomeText(await session.call({ name: "b" }))).toBe("m");
  });

  test("has nothing of a session in scope host", async () => {
    const session = await openSession({
      plugins: [
        {
          id: "p",
          tools: [
            { names: ["act"], scope: "host", factory: ({ sessionKind }) => makeTool(`act${sessionKind}`) },
          ],
        },
      ],
    });
    expect(session.diagnostics()).toMatchObject([
      { code: "FACTORY_FAILED", message: expect.stringContaining("has no kind") },
    ]);
  });
});

describe("the context of a running tool", () => {
  const seen: Pick<ToolContext, "sender" | "groupId">[] = [];
  const tool = makeTool("act", {
    execute: (...[, , , , { sender, groupId }]) => {
      seen.push({ sender, groupId });
      if (typeof sender === "object")
        expect(() => Object.assign(sender, { id: "admin" })).toThrow("read only");
      return answer("done");
    },
  });

  test("has the group, and the sender of the call or of the session", async () => {
    const owner = { id: "1" };
    const session = await openSession({
      tools: [tool],
      open: { kind: "group", groupId: "room", sender: owner },
    });
    await session.call({ name: "act" });
    await session.call({ name: "act" }, { sender: { id: "2" } });
    await session.call({ name: "act" }, { sender: "system" });
    expect(seen).toEqual([
      { sender: { id: "1" }, groupId: "room" },
      { sender: { id: "2" }, groupId: "room" },
      { sender: "system", groupId: "room" },
    ]);
    expect(owner).toEqual({ id: "1" });
  });

  test("has no sender if the host names none", async () => {
    seen.length = 0;
    await (await openSession({ tools: [tool] })).call({ name: "act" });
    expect(seen).toEqual([{ sender: undefined, groupId: undefined }]);
  });
});
