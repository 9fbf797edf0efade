import type { ToolEffect, ToolFacts } from "@haft/core";
import { describe, expect, test } from "vitest";
import { createPolicy, type ExplainingPolicy } from "../../src/create-policy.ts";
import { toolEffects } from "../../src/patterns/selector.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { getProblems, session, tools } from "../fixtures.ts";

// One document for every host of a machine, whatever each of them has installed.

const builtIn = tools.filter((tool) => tool.builtIn);

function administered(
  config: PolicyConfig,
  catalogue: readonly ToolFacts[] = builtIn,
  positions = (): number => 3,
): ExplainingPolicy {
  return createPolicy({}, { tools: catalogue, administrator: { config, source: "admin.yaml", positions } });
}

function plugged(id: string, effects: ToolEffect[] = ["network"], more: Partial<ToolFacts> = {}): ToolFacts {
  const [pluginId = "", name = ""] = id.split("/");
  return { id, name, pluginId, optional: false, effects, groups: [], builtIn: false, ...more };
}

const told = ({ unmatched }: ExplainingPolicy) =>
  unmatched.map(({ path, message, nearest }) => [path, message, ...(nearest ?? [])]);

describe("known names", () => {
  test.each([
    "group:plugins",
    "group:plugins(arg:body=*)",
    "group:plugins(host:*.example.org)",
    "group:fs",
    "group:runtime",
    "group:messaging",
    "group:sessions",
    ...toolEffects.map((effect) => `effect:${effect}`),
    "effect:message(host:example.org)",
    "exec",
    "exec(rm *)",
    "read(path:**/.env)",
    "node_invoke",
    "*",
  ])("are accepted without a warning: %s", (selector) => {
    for (const list of ["deny", "ask"]) {
      for (const catalogue of [builtIn, [], tools])
        expect(told(administered({ [list]: [selector] }, catalogue))).toEqual([]);
    }
  });
});

describe("unknown names", () => {
  test.each([
    ["page_load", /no tool or plugin "page_load" here yet/, []],
    ["page_load(arg:url=*)", /"page_load"/, []],
    ["page_load(host:*.example.org)", /"page_load"/, []],
    ["page_load:post", /"page_load"/, []],
    ["web/load", /"web\/load"/, []],
    ["page_*", /"page_\*" matches no tool/, []],
    ["wirte", /"wirte"/, ["write", "effect:write"]],
    ["group:pluginss", /"group:pluginss" matches no tool/, ["group:plugins"]],
    ["group:web", /"group:web" matches no tool/, []],
    ["group:grepp", /"group:grepp" matches no tool/, []],
  ] as const)("cause a warning with similar names, and no error: %s", (selector, says, nearest) => {
    for (const [list, verb] of [
      ["deny", "denied"],
      ["ask", "needs approval"],
    ] as const) {
      for (const [config, path] of [
        [{ [list]: [selector] }, `${list}[0]`],
        [{ sessions: { group: { [list]: ["exec", selector] } } }, `sessions.group.${list}[1]`],
        [{ senders: { "id:7": { [list]: [selector] } } }, `senders["id:7"].${list}[0]`],
        [{ subagents: { [list]: [selector] } }, `subagents.${list}[0]`],
      ] as const) {
        const made = administered(config);
        expect(told(made)).toEqual([[path, expect.stringMatching(says), ...nearest]]);
        expect(made.unmatched[0]).toMatchObject({ source: "admin.yaml", line: 3, severity: "warning" });
        expect(made.unmatched[0]!.message).toContain(verb);
        expect(made.warnings).toContainEqual(made.unmatched[0]);
      }
    }
  });
});

test("warns about an unknown effect, which another version may know", () => {
  for (const list of ["deny", "ask"]) {
    expect(told(administered({ [list]: ["read", "effect:mesage"] }))).toEqual([
      [
        `${list}[1]`,
        expect.stringMatching(/"mesage" is not an effect.*restricts nothing here/),
        "effect:message",
      ],
    ]);
    expect(getProblems(() => createPolicy({ [list]: ["effect:mesage"] }, { tools: builtIn }))).toHaveLength(
      1,
    );
  }
});

test.each([
  "page_load",
  "web",
  "web/*",
  "web/page_load",
  "page_*",
  "effect:network",
  "group:plugins",
  "group:net",
])("denies %s as soon as the tool exists, and names the line", (selector) => {
  const installed = plugged("web/page_load", ["network"], { groups: ["net"] });
  const facts = session("main");
  // Installed when the host starts, and made by a factory that the host did not ask before.
  for (const catalogue of [[...builtIn, installed], builtIn]) {
    const made = administered({ deny: [selector] }, catalogue);
    const { reason, effect } = made.forSession(facts).call(installed, {});
    expect([effect, reason]).toEqual([
      "deny",
      expect.stringContaining(`denied by admin.yaml:3: deny[0] = "${selector}"`),
    ]);
  }
  expect(told(administered({ deny: [selector] }, [...builtIn, installed]))).toEqual([]);
});

describe("rules that conflict with an installed plugin", () => {
  test("only cause a warning if its calls cannot meet a condition", () => {
    const catalogue = [...builtIn, plugged("a/post", ["message"], { parameters: [{ name: "text" }] })];
    for (const selector of ["group:plugins(arg:to=*)", "post(arg:to=*)", "a/post(path:**)", "post(rm *)"]) {
      const made = administered({ deny: [selector] }, catalogue);
      expect(made.unmatched).toMatchObject([{ path: "deny[0]", severity: "warning" }]);
    }
  });

  test("restrict both a plugin and its tool of the same name", () => {
    const catalogue = [...builtIn, plugged("mail/mail"), plugged("mail/send"), plugged("post/mail")];
    const made = administered({ deny: ["mail"] }, catalogue);
    expect(told(made)).toEqual([]);
    for (const tool of catalogue.slice(-3))
      expect(made.forSession(session("main")).call(tool, {}).effect).toBe("deny");
  });

  test("only cause a warning if they ask about denied tools", () => {
    const catalogue = [...builtIn, plugged("mail/send", ["message"])];
    const config = { deny: ["group:plugins"], ask: ["effect:message"] };
    expect(told(administered(config, catalogue))).toEqual([["ask[0]", expect.stringContaining("deny wins")]]);
    expect(
      administered(config, catalogue).forSession(session("main")).call(catalogue.at(-1)!, {}).effect,
    ).toBe("deny");
  });
});

describe("other problems are errors:", () => {
  test.each([
    ["a grant", { grant: ["page_load"] }],
    ["a grant of a group", { sessions: { group: { grant: ["group:plugins"] } } }],
    ["what is allowed", { allow: ["page_load"] }],
    ["an effect that does not exist, granted", { grant: ["effect:mesage"] }],
    ["no selector", { deny: ["page load"] }],
    ["a condition that is none", { deny: ["page_load(arg:=)"] }],
    ["a key that does not exist", { denny: ["page_load"] }],
    ["a condition that no call of a built-in tool can meet", { deny: ["read(arg:paht=*)"] }],
    ["an action that no built-in tool has", { deny: ["process:kil"] }],
    ["a built-in tool denied and asked about", { deny: ["read"], ask: ["read"] }],
    ["a built-in tool asked about below its denied group", { deny: ["group:fs"], ask: ["read"] }],
  ])("%s", (_what, config) => {
    expect(getProblems(() => administered(config as PolicyConfig))).not.toEqual([]);
  });

  test.each(["deny", "ask", "allow", "grant"])("unmatched %s in the policy itself", (list) => {
    for (const selector of ["page_load", "group:plugins", "effect:message", "group:messaging"]) {
      const problems = getProblems(() => createPolicy({ [list]: [selector] }, { tools: builtIn }));
      expect(problems).toHaveLength(1);
      // A group is not a tool that somebody mistyped.
      expect(problems[0]!.nearest ?? []).not.toContain("grep");
    }
  });
});
