import { describe, expect, test } from "vitest";
import type { Plugin, PluginToolFactory } from "../../src/contract/registration.ts";
import {
  getCode,
  factoryPlugin,
  makeTool,
  openSession,
  createPlugin,
  createTestPolicy,
  getOutcomeText,
} from "../support/kernel.ts";

const channelPlugin = (id: string, name: string, channels: string[]): Plugin => ({
  id,
  tools: [{ factory: () => makeTool(name), names: [name], channels }],
});

type Setup = Parameters<typeof openSession>[0];

describe("a missing tool", () => {
  const withheld: [string, PluginToolFactory][] = [
    ["null", () => null],
    ["an empty list", () => []],
    ["a list without it", () => [makeTool("other")]],
  ];
  const cases: [string, Setup, code: string, reason: RegExp][] = [
    ...withheld.map(([what, factory]): [string, Setup, string, RegExp] => [
      `a factory that answers ${what}`,
      { plugins: [factoryPlugin("city", ["city_pin", "other"], factory)] },
      "TOOL_WITHHELD",
      /^Plugin "city" has a tool "city_pin", but its factory did not create it for this session\.$/,
    ]),
    [
      "a channel that the session is not of",
      { plugins: [channelPlugin("city", "city_pin", ["telegram"])], open: { messageChannel: "slack" } },
      "TOOL_WITHHELD",
      /message channels: "telegram"\. This session is of "slack"\.$/,
    ],
    [
      "a channel, in a session of none",
      { plugins: [channelPlugin("city", "city_pin", ["telegram", "signal"])] },
      "TOOL_WITHHELD",
      /"telegram", "signal"\. This session has no channel\.$/,
    ],
    [
      "no channel at all",
      { plugins: [channelPlugin("city", "city_pin", [])] },
      "TOOL_WITHHELD",
      /in no message channel\./,
    ],
    [
      "a plugin of another contract",
      { plugins: [{ ...createPlugin("city", [makeTool("city_pin")]), contract: 9 }] },
      "CONTRACT_UNKNOWN",
      /contract 9/,
    ],
    [
      "the second plugin of one id",
      { plugins: [createPlugin("city", []), createPlugin("city", [makeTool("city_pin")])] },
      "PLUGIN_INVALID",
      /Two plugins have the id "city"/,
    ],
    [
      "a plugin one registration of which is malformed",
      {
        plugins: [
          { id: "city", tools: [{ names: ["city_pin"], factory: () => null }, { names: ["x"] } as never] },
        ],
      },
      "PLUGIN_INVALID",
      /without a factory/,
    ],
  ];

  test.for(cases)("has a reason: %s", async ([_what, setup, code, reason]) => {
    const session = await openSession({ ...setup, tools: [makeTool("good")] });
    expect(session.missing().filter(({ name }) => name === "city_pin")).toEqual([
      {
        id: "city/city_pin",
        name: "city_pin",
        code,
        reason: expect.stringMatching(reason),
        fix: expect.any(String),
      },
    ]);
    const found = code === "TOOL_WITHHELD" ? "absent" : "broken";
    for (const name of ["city_pin", "City-Pin", "city/city_pin", "functions.city_pin"]) {
      const outcome = await session.call({ name });
      expect(outcome).toMatchObject({ code: "TOOL_UNAVAILABLE", details: { diagnostic: code } });
      expect(getOutcomeText(outcome).split("\n")[0]!.replace("Error: ", "")).toMatch(reason);
      expect(await session.explain(name)).toMatchObject({
        found,
        verdict: found,
        reason: expect.stringMatching(reason),
        fix: expect.any(String),
      });
    }
  });

  test("is not a diagnostic if it is left out on purpose", async () => {
    const plugins = [factoryPlugin("a", ["a"], () => null), channelPlugin("b", "b", ["x"])];
    const session = await openSession({ plugins });
    expect(session.diagnostics()).toEqual([]);
    expect(session.missing()).toHaveLength(2);
  });

  test("is missing by name if another plugin replaces it, and callable by its id", async () => {
    const plugins = [
      createPlugin("fs", [makeTool("read")]),
      createPlugin("mine", [makeTool("read")], { replaces: ["read"] }),
    ];
    const session = await openSession({ plugins });
    expect(session.missing()).toMatchObject([
      { id: "fs/read", code: "TOOL_REPLACED", fix: expect.stringContaining('"fs/read"') },
    ]);
    expect(getCode(await session.call({ name: "fs/read" }))).toBe("ok");
    const hidden = await openSession({
      plugins,
      policy: createTestPolicy({ visibility: ({ id }) => (id === "fs/read" ? "deny" : "allow") }),
    });
    expect(hidden.missing()).toMatchObject([{ id: "fs/read", code: "POLICY_DENIED" }]);
  });
});

describe("an available tool", () => {
  test("is not missing if one of two registrations made it for its channel", async () => {
    const two = [channelPlugin("p", "pin", ["a"]).tools[0]!, channelPlugin("p", "pin", ["b"]).tools[0]!];
    const session = await openSession({ plugins: [{ id: "p", tools: two }], open: { messageChannel: "b" } });
    expect(session.tools()).toMatchObject([{ name: "pin" }]);
    expect(session.missing()).toEqual([]);
  });

  test("is not missing if a factory made it twice", async () => {
    const session = await openSession({
      plugins: [factoryPlugin("p", ["pin"], () => [makeTool("pin"), makeTool("pin")])],
    });
    expect(session.diagnostics()).toHaveLength(1);
    expect(session.missing()).toEqual([]);
  });

  test("is not missing if a plugin of another channel claimed its name first", async () => {
    const plugins = [channelPlugin("a", "pin", ["x"]), createPlugin("b", [makeTool("pin")])];
    const session = await openSession({ plugins, open: { messageChannel: "y" } });
    expect(session.tools()).toMatchObject([{ name: "pin" }]);
    expect(session.missing()).toMatchObject([{ id: "a/pin", code: "TOOL_WITHHELD" }]);
  });
});

describe("an uncertain absence", () => {
  test("names a plugin with unreadable names as a possible owner", async () => {
    const session = await openSession({ plugins: [undefined as never], tools: [makeTool("good")] });
    const { reason, fix } = await session.explain("pin");
    expect(reason).toMatch(
      /^No plugin that could be read registered a tool "pin"\. plugins\[1\] of this host is undefined/,
    );
    expect(fix).toBeDefined();
  });

  test("is ambiguous for a spelling that two tools could have", async () => {
    const session = await openSession({ tools: [makeTool("pin-up"), makeTool("pin_up")] });
    expect(await session.explain("PIN_UP")).toMatchObject({
      verdict: "unknown",
      reason: '"PIN_UP" may mean several tools: pin-up, pin_up.',
      nearest: ["pin-up", "pin_up"],
    });
    expect(getOutcomeText(await session.call({ name: "PIN_UP" }))).toBe(
      'Error: "PIN_UP" may mean several tools.\nDid you mean pin-up or pin_up?',
    );
  });
});
