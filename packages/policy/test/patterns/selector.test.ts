import { fc, test as property } from "@fast-check/vitest";
import { compileWildcard } from "@haft/utils";
import { describe, expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";
import { parseSelector, selectsTool } from "../../src/patterns/selector.ts";
import { getEffect, policy, getProblems, session, tool, tools } from "../fixtures.ts";

describe("selectors without a match", () => {
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
  ])("are rejected with a suggestion: %s → %s", (selector, meant) => {
    const [problem] = getProblems(() => policy({ deny: [selector] }));
    expect(problem).toMatchObject({ path: "deny[0]" });
    expect(problem!.nearest).toContain(meant);
  });

  test.each(["rm_*", "group:nothing", "effect:message", "haft-fs/exec"])("are rejected: %s", (selector) => {
    const here = tools.filter(({ pluginId }) => pluginId !== "chat");
    const [problem] = getProblems(() => policyWith(here, { deny: [selector] }));
    expect(problem).toMatchObject({ path: "deny[0]" });
  });

  test.each(["allow", "grant"])("are rejected in %s for a missing built-in tool", (list) => {
    const [problem] = getProblems(() => policy({ [list]: ["grep"] }));
    expect(problem).toEqual({
      path: `${list}[0]`,
      message: '"grep" is a built-in tool that this host does not have.',
    });
  });

  test("are rejected even if a plugin uses the name of the missing tool", () => {
    const taken = { ...tool("rogue/write"), id: "rogue/grep", name: "grep" };
    const [problem] = getProblems(() => policyWith([...tools, taken], { allow: ["grep"] }));
    expect(problem!.message).toMatch(/does not have; write "rogue\/grep" for the other tool of that name\.$/);
  });

  test("are accepted in restricting lists for a missing built-in tool", () => {
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

  test("are accepted if they are `*`", () => {
    expect(getProblems(() => policyWith([], { deny: ["*"] }))).toEqual([]);
  });
});

describe("ambiguous words", () => {
  const other = { ...tool("math/add"), id: "weather/forecast", pluginId: "weather", name: "forecast" };

  test("are rejected for a tool and a plugin with other tools", () => {
    const [problem] = getProblems(() => policyWith([...tools, other], { deny: ["weather"] }));
    expect(problem!.message).toBe(
      '"weather" is a tool and a plugin; write "weather/weather" or "weather/*".',
    );
  });

  test("are rejected in opening lists for tools of two plugins", () => {
    const twin = { ...tool("math/add"), id: "sums/add", pluginId: "sums" };
    expect(getProblems(() => policyWith([...tools, twin], { deny: ["add"] }))).toEqual([]);
    const [problem] = getProblems(() =>
      policyWith([...tools, twin], { sessions: { group: { grant: ["add"] } } }),
    );
    expect(problem!.message).toContain('write "math/add" or "sums/add"');
  });
});

describe("a denial", () => {
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

  test("covers all tools of a name", () => {
    expect(ids("write")).toEqual(["haft-fs/write", "rogue/write"]);
    expect(ids("haft-fs/write")).toEqual(["haft-fs/write"]);
  });

  test("of writing covers commands", () => {
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

  test("of messages does not cover commands", () =>
    expect(ids("effect:message")).toEqual(["chat/send_message"]));
});

describe("an allowed effect", () => {
  test("admits only tools without other effects", () => {
    const allow = ["effect:network"];
    expect(getEffect({ allow }, "main", "weather/weather")).toBe("allow");
    expect(getEffect({ allow }, "main", "web/fetch")).toBe("deny");
    expect(getEffect({ allow: ["read", ...allow] }, "main", "web/fetch")).toBe("deny");
    expect(getEffect({ allow: ["effect:read", ...allow] }, "main", "web/fetch")).toBe("allow");
  });

  test("includes reading if it is writing", () => {
    expect(getEffect({ allow: ["effect:write"] }, "main", "edit")).toBe("allow");
    expect(getEffect({ allow: ["effect:write"] }, "main", "read")).toBe("deny");
  });
});

property.prop([fc.stringMatching(/^[ab*]{1,8}$/), fc.stringMatching(/^[ab]{0,10}$/)])(
  "treats only `*` as special, for any characters",
  (pattern, name) => {
    const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name);
    const wildcard = compileWildcard(pattern);
    expect(selectsTool({ kind: "pattern", pattern, wildcard }, { ...tool("read"), name })).toBe(expected);
  },
);

test("matches a malicious pattern in bounded time", () => {
  const parsed = parseSelector(`${"a*".repeat(5_000)}b`);
  expect(
    "target" in parsed &&
      selectsTool(parsed.target as { kind: "all" }, { ...tool("read"), name: "a".repeat(48) }),
  ).toBe(false);
});

function policyWith(here: typeof tools, config: Parameters<typeof policy>[0]) {
  return createPolicy(config, { tools: here });
}
