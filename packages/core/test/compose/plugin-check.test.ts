import { describe, expect, test } from "vitest";
import type { Plugin } from "../../src/contract/registration.ts";
import { codeOf, echo, makeTool, openSession, pluginOf } from "../support/kernel.ts";

const good = pluginOf("good", [echo()]);
const hello = { value: "hello" };

describe("a plugin that cannot be read costs nobody else's tools", () => {
  const cases: [string, unknown][] = [
    ["nothing", undefined],
    ["no id", { tools: [] }],
    ["an id with capitals", { id: "Bad", tools: [] }],
    ["no tools", { id: "bad" }],
    ["a registration that is null", { id: "bad", tools: [null] }],
    ["a registration without names", { id: "bad", tools: [{ factory: () => null }] }],
    ["names that are a string", { id: "bad", tools: [{ factory: () => null, names: "read" }] }],
    ["no factory", { id: "bad", tools: [{ names: ["bad"] }] }],
    [
      "a getter that throws",
      {
        id: "bad",
        get tools() {
          throw new Error("no");
        },
      },
    ],
  ];

  test.for(cases)("%s", async ([_what, plugin]) => {
    const session = await openSession({ plugins: [plugin as Plugin, good] });
    expect(session.diagnostics()).toMatchObject([{ code: "PLUGIN_INVALID" }]);
    expect(codeOf(await session.call({ name: "echo", arguments: hello }))).toBe("ok");
  });

  test("a second plugin of the same id", async () => {
    const session = await openSession({ plugins: [good, pluginOf("good", [makeTool("other")])] });
    expect(session.diagnostics()).toMatchObject([{ code: "PLUGIN_INVALID", pluginId: "good" }]);
    expect(session.tools().map(({ name }) => name)).toEqual(["echo"]);
  });
});
