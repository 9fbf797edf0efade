import { fc, test as property } from "@fast-check/vitest";
import { compileWildcard } from "@haft/utils";
import { describe, expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";
import { parseSelector, selectsTool } from "../../src/patterns/selector.ts";
import { getEffect, policy, getProblems, session, tool, tools } from "../fixtures.ts";

describe("a selector that means nothing is an error with what was probably meant", () => {
  test.each([
    ["wrte", "write"],
    ["Write", "write"],
    ["apply-patch", "apply_patch"],
    ["applypatch", "apply_patch"],
    ["haft-fs/wirte", "haft-fs/write"],
    ["fs", "group:fs"],
    ["group:sf", "group:fs"],
    ["group:write", "effect:write"],
    ["wether", "weather"],
    ["efect:write", "effect:write"],
    ["effect:writes", "effect:write"],
  ])("%s → %s", (selector, meant) => {
    const [problem] = getProblems(() => policy({ deny: [selector] }));
    expect(problem).toMatchObject({ path: "deny[0]" });
    expect(problem!.nearest).toContain(meant);
  });

  test.each(["rm_*", "group:nothing", "effect:message", "haft-fs/exec"])("%s", (selector) => {
    const here = tools.filter(({ pluginId }) => pluginId !== "chat");
    const [problem] = getProblems(() => policyWith(here, { deny: [selector] }));
    expect(problem).toMatchObject({ path: "deny[0]" });
  });

  test.each(["allow", "grant"])("%s for a built-in tool that this host lacks", (list) => {
    const [problem] = getProblems(() => policy({ [list]: ["grep"] }));
    expect(problem).toEqual({
      path: `${list}[0]`,
      message: '"grep" is a built-in tool that this host does not have.',
    });
  });

  test("even where a plugin has taken the name of the missing tool", () => {
    const taken = { ...tool("rogue/write"), id: "rogue/grep", name: "grep" };
    const [problem] = getProblems(() => policyWith([...tools, taken], { allow: ["grep"] }));
    expect(problem!.message).toMatch(/does not have; write "rogue\/grep" for the other tool of that name\.$/);
  });

  test("but a built-in tool can be held back before the host has it", () => {
    const late = { ...tool("read"), id: "haft-search/grep", name: "grep" };
    expect(
      policy({ deny: ["grep"] })
        .forSession(session("main"))
        .call(late, {}).effect,
    ).toBe("deny");
    expect(
      policy({ ask: ["grep"] })
        .forSession(session("main"))
        .call(late, {}).effect,
    ).toBe("ask");
  });

  test("`*` always means something", () => {
    expect(getProblems(() => policyWith([], { deny: ["*"] }))).toEqual([]);
  });
});

describe("ambiguous words are errors", () => {
  const other = { ...tool("math/add"), id: "weather/forecast", pluginId: "weather", name: "forecast" };

  test("a tool and a plugin with more tools", () => {
    const [problem] = getProblems(() => policyWith([...tools, other], { deny: ["weather"] }));
    expect(problem!.message).toBe(
      '"weather" is a tool and a plugin; write "weather/weather" or "weather/*".',
    );
  });

  test("one name of two plugins' tools, where it would open one of them", () => {
    const twin = { ...tool("math/add"), id: "sums/add", pluginId: "sums" };
    expect(getProblems(() => policyWith([...tools, twin], { deny: ["add"] }))).toEqual([]);
    const [problem] = getProblems(() =>
      policyWith([...tools, twin], { sessions: { group: { grant: ["add"] } } }),
    );
    expect(problem!.message).toContain('write "math/add" or "sums/add"');
  });
});

describe("denying", () => {
  const denied = (selector: string) =>
    tools.filter((each) =>
      policy({ deny: [selector] })
        .forSession(session("main"))
        .call(each, {})
        .reason.includes("deny[0]"),
    );
  const ids = (selector: string) => denied(selector).map(({ id }) => id);

  test.each([
    ["*", tools.length],
    ["haft-fs", 5],
    ["group:fs", 6],
    ["group:plugins", 7],
    ["chat/*", 2],
    ["*e*", 11],
  ])("%s covers %i tools", (selector, count) => expect(ids(selector)).toHaveLength(count));

  test("a name covers whatever has the name", () => {
    expect(ids("write")).toEqual(["haft-fs/write", "rogue/write"]);
    expect(ids("haft-fs/write")).toEqual(["haft-fs/write"]);
  });

  test("writing covers commands, which could write", () => {
    const expected = [
      "write",
      "edit",
      "apply_patch",
      "exec",
      "process",
      "bash",
      "node_invoke",
      "rogue/write",
    ];
    expect(ids("effect:write")).toEqual(expected.map((name) => tool(name).id));
  });

  test("messages are not a thing of commands", () =>
    expect(ids("effect:message")).toEqual(["chat/send_message"]));
});

describe("allowing", () => {
  test("effects let through only what does nothing beyond them", () => {
    const allow = ["effect:network"];
    expect(getEffect({ allow }, "main", "weather/weather")).toBe("allow");
    expect(getEffect({ allow }, "main", "web/fetch")).toBe("deny");
    expect(getEffect({ allow: ["read", ...allow] }, "main", "web/fetch")).toBe("deny");
    expect(getEffect({ allow: ["effect:read", ...allow] }, "main", "web/fetch")).toBe("allow");
  });

  test("who may write may read on the way", () => {
    expect(getEffect({ allow: ["effect:write"] }, "main", "edit")).toBe("allow");
    expect(getEffect({ allow: ["effect:write"] }, "main", "read")).toBe("deny");
  });
});

property.prop([fc.stringMatching(/^[ab*]{1,8}$/), fc.stringMatching(/^[ab]{0,10}$/)])(
  "`*` stands for any characters and nothing else is special",
  (pattern, name) => {
    const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name);
    const wildcard = compileWildcard(pattern);
    expect(selectsTool({ kind: "pattern", pattern, wildcard }, { ...tool("read"), name })).toBe(expected);
  },
);

test("a spiteful pattern takes no longer", () => {
  const parsed = parseSelector(`${"a*".repeat(5_000)}b`);
  expect(
    "target" in parsed &&
      selectsTool(parsed.target as { kind: "all" }, { ...tool("read"), name: "a".repeat(48) }),
  ).toBe(false);
});

function policyWith(here: typeof tools, config: Parameters<typeof policy>[0]) {
  return createPolicy(config, { tools: here });
}
