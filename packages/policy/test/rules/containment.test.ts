import type { ContainmentFacts, SessionFacts } from "@haft/core";
import { describe, expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";
import type { ExecRules } from "../../src/read/exec-config.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { policy, session, tools } from "../fixtures.ts";

const main = session("main");
const wish = (config: PolicyConfig, facts: SessionFacts = main) => policy(config).containment(facts);

test("does not require containment if no layer does", () => {
  expect(wish({})).toBeUndefined();
  expect(wish({ exec: { containment: "none", security: "full" } })).toBeUndefined();
  expect(wish({ exec: { network: ["example.com"], caches: ["~/.npm"] } })).toBeUndefined();
  expect(wish({ sessions: { group: { exec: { preset: "contained" } } } })).toBeUndefined();
  expect(wish({ mode: "off", exec: { preset: "contained" } })).toBeUndefined();
  expect(wish({ mode: "shadow", exec: { preset: "contained" } })).toBeUndefined();
});

test("does not require containment in sandboxed sessions", () => {
  const config: PolicyConfig = { exec: { preset: "contained" } };
  expect(wish(config, session("sandboxed"))).toBeUndefined();
  expect(wish(config, { ...main, sandbox: { mount: "rw", network: "full" } })).toBeUndefined();
});

describe("the combination of layers", () => {
  test.each<[ExecRules, ExecRules, Partial<ContainmentFacts> & { caches?: string[] }]>([
    [{ preset: "contained" }, {}, { mode: "workspace", network: "none" }],
    [{ preset: "contained" }, { containment: "none" }, { mode: "workspace" }],
    [{ preset: "contained" }, { containment: "read-only" }, { mode: "read-only" }],
    [{ containment: "read-only" }, { preset: "contained" }, { mode: "read-only" }],
    [{ preset: "contained" }, { network: "full" }, { network: "none" }],
    [{ preset: "contained" }, { network: ["example.com"] }, { network: "none" }],
    [{ preset: "contained", network: "full" }, {}, { network: "full" }],
    [{ preset: "contained", network: "full" }, { containment: "workspace" }, { network: "none" }],
    [
      { preset: "contained", network: "full" },
      { network: ["b.example.com"] },
      { network: ["b.example.com"] },
    ],
    [
      { preset: "contained", network: ["*.example.com", "example.org"] },
      { network: ["example.org", "a.example.com", "*.b.example.com", "example.com"] },
      { network: ["a.example.com", "*.b.example.com", "example.org"] },
    ],
    [{ preset: "contained", network: ["example.com"] }, { network: ["example.org"] }, { network: "none" }],
    [
      { preset: "contained", caches: ["~/.npm", "~/.cache"] },
      { caches: ["~/.cache/pip", "~/.cargo/registry"] },
      { caches: ["~/.cache/pip"] },
    ],
  ])("only tightens: %j and %j: %j", (root, inner, expected) => {
    expect(wish({ exec: root, sessions: { main: { exec: inner } } })).toMatchObject(expected);
    expect(wish({ exec: inner, sessions: { main: { exec: root } } })).toMatchObject({
      ...expected,
      // The order of hosts means nothing.
      ...(typeof expected.network === "object"
        ? { network: expect.arrayContaining([...expected.network]) as string[] }
        : {}),
    });
  });

  test("never loosens the administrator's requirement", () => {
    const made = createPolicy(
      { exec: { containment: "none", network: "full", caches: ["~/.npm"] } },
      {
        tools,
        source: "p.json",
        administrator: { config: { exec: { containment: "read-only" } }, source: "a.json" },
      },
    );
    expect(made.containment(main)).toEqual({
      mode: "read-only",
      network: "none",
      caches: ["~/.npm"],
      usesHostCaches: true,
      source: "a.json: exec.containment",
    });
  });

  test("also applies to subagents", () => {
    const config: PolicyConfig = {
      agents: { ada: { exec: { preset: "contained", network: ["example.com"] } } },
    };
    const opened: SessionFacts = { ...main, parent: { ...main, agentId: "ada" } };
    expect(wish(config, opened)).toMatchObject({ mode: "workspace", network: ["example.com"] });
  });
});
