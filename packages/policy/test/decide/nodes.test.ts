import type { CallSubjects, ToolEffect } from "@haft/core";
import { describe, expect, test } from "vitest";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { policy, problemsOf, session, tool } from "../fixtures.ts";

const KITCHEN = { id: "UKITCHEN", name: "kitchen", effects: ["read"] as ToolEffect[] };
const call = { node: "whatever", command: "camera.snap" };

function ask(config: PolicyConfig, node: CallSubjects["node"] | "unplanned", args: unknown = call) {
  const subjects = node === "unplanned" ? undefined : node === undefined ? {} : { node };
  return policy(config).forSession(session("main")).call(tool("node_invoke"), args, subjects);
}
const effect = (...question: Parameters<typeof ask>) => ask(...question).effect;

const messages = (entry: string) =>
  problemsOf(() => policy({ deny: [entry] }))
    .map(({ message }) => message)
    .join("\n");

describe("lists that open", () => {
  test.each<[string, string, string]>([
    ["the name of the node", "node_invoke(node:kitchen)", "allow"],
    ["its id", "node_invoke(node:UKITCHEN)", "allow"],
    ["a part of its name", "node_invoke(node:kit*)", "allow"],
    ["its name and the command", "node_invoke(node:kitchen, arg:command=camera.*)", "allow"],
    ["another node", "node_invoke(node:attic)", "deny"],
    ["another command", "node_invoke(node:kitchen, arg:command=door.*)", "deny"],
    ["the command alone", "node_invoke(arg:command=camera.snap)", "allow"],
  ])("by %s", (_, entry, expected) => {
    expect(effect({ grant: [entry] }, KITCHEN)).toBe(expected);
  });

  test("never open what is not known, and say what is missing", () => {
    const grant = { grant: ["node_invoke(node:attic)"] };
    expect(effect({ grant: ["node_invoke(node:kitchen)"] }, "unplanned")).toBe("deny");
    expect(effect({ grant: ["node_invoke(node:*)"] }, undefined)).toBe("deny");
    expect(ask(grant, KITCHEN).fix).toContain("node_invoke(node:kitchen)");
  });
});

describe("lists that hold back", () => {
  const grant = ["node_invoke"];

  test("hold for a node whatever the call names it by", () => {
    for (const entry of ["node_invoke(node:kitchen)", "*(node:UKITCHEN)", "effect:execute(node:kit*)"])
      expect(effect({ grant, deny: [entry] }, { ...KITCHEN, effects: ["execute"] })).toBe("deny");
    expect(effect({ grant, deny: ["node_invoke(node:attic)"] }, KITCHEN)).toBe("allow");
    expect(effect({ grant, deny: ["node_invoke(node:kitchen)"] }, "unplanned")).toBe("ask");
  });

  test("look at what was approved of the command; of what is not known they take all", () => {
    const asks = { grant, ask: ["effect:write"] };
    expect(effect(asks, KITCHEN)).toBe("allow");
    expect(effect(asks, { ...KITCHEN, effects: ["read", "write"] })).toBe("ask");
    expect(effect(asks, { ...KITCHEN, effects: ["execute"] })).toBe("ask");
    expect(effect(asks, { id: "U", name: "kitchen" })).toBe("ask");
    expect(effect({ grant, ask: ["effect:read"] }, KITCHEN)).toBe("ask");
  });

  test("ask where a node could run a command, or reach a host, that is denied", () => {
    const runs: ToolEffect[] = ["execute"];
    expect(ask({ grant, deny: ["*(command:rm *)"] }, { ...KITCHEN, effects: runs }).reason).toContain(
      "what the node runs is not known",
    );
    expect(
      ask({ grant, deny: ["*(host:example.com)"] }, { ...KITCHEN, effects: ["network"] }).reason,
    ).toContain("the node can reach any host");
    expect(effect({ grant, deny: ["*(command:rm *)", "*(host:example.com)"] }, KITCHEN)).toBe("allow");
  });
});

test.each<[string, RegExp]>([
  ["node_invoke(node:)", /missing/],
  ["node_invoke(node: kitchen)", /space/],
  ["node_invoke(nod:kitchen)", /node:/],
  ["write(node:kitchen)", /acts on a node/],
  ["node_invoke(node:kitchen,arg:command=x)", /comma/],
])("%s is an error", (entry, message) => {
  expect(messages(entry)).toMatch(message);
});

test("a rule on the argument would be got around by the other spelling", () => {
  expect(messages("node_invoke(arg:node=kitchen)")).toMatch(/write node:kitchen/);
});
