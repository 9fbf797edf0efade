import { fc, test as property } from "@fast-check/vitest";
import type { CallSubjects, SessionFacts } from "@haft/core";
import { expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { anyTool, policy, running, session, tool, tools } from "../fixtures.ts";
import { richConfigs, someArgs, someFacts, someSubjects } from "../random-policies.ts";

// Reasons are read by models and people, on the way to something else.

const long = "git push origin main --force-with-lease --set-upstream a-rather-long-name-of-a-branch";

test.each<[PolicyConfig, CallSubjects | undefined, Partial<SessionFacts>?]>([
  [{ deny: ["effect:write(path:docs/**)"] }, running("git status")],
  [{ deny: ["effect:write(path:docs/**)"] }, undefined],
  [{ deny: [`exec(${long}*)`] }, running(long)],
  [
    { deny: [`exec(${long}*)`] },
    running("x", { unclear: "it uses a pattern (*) that becomes the names of files" }),
  ],
  [
    { exec: { allow: ["git status*"] } },
    running(`${long} && npm run build -- ${"x".repeat(500)} && rm -rf a && x y`),
  ],
  [{ exec: { allow: ["git status*"] } }, running(`${"x".repeat(500)} && ${"y".repeat(500)}`)],
  [
    { exec: { preset: "careful" } },
    running("x", { unclear: "it uses a pattern (*) that becomes the names of files" }),
  ],
  [{}, running("x", { elevated: true })],
  [
    {
      exec: { elevated: { mode: "off" } },
      sessions: { main: { exec: { elevated: { mode: "off", senders: ["id:1"] } } } },
    },
    running("x", { elevated: true }),
  ],
])("gives a reason of at most 200 characters for %j", (config, subjects, more = {}) => {
  const made = createPolicy(config, { tools, source: "config/policy.yaml" });
  const { reason } = made.forSession({ ...session("main"), ...more }).call(tool("exec"), {}, subjects);
  expect(reason.length).toBeLessThanOrEqual(200);
});

test("names a folder by its path if its name is a dot", () => {
  const everything = { path: "/work", relative: ".", access: "read", recursive: true } as const;
  const made = policy({ deny: ["read(path:secret)"] }).forSession(session("main"));
  expect(made.call(tool("read"), {}, { paths: [everything] }).reason).toContain("everything below /work, so");
});

property.prop([richConfigs, someFacts, someSubjects, someArgs, anyTool])(
  "a reason is a sentence with one full stop",
  (config, facts, subjects, args, which) => {
    const { reason } = policy(config).forSession(facts).call(which, args, subjects);
    expect(reason).toMatch(/[^.]\.$/);
    expect(reason).not.toContain(".,");
  },
);

property.prop([fc.constantFrom("it uses …", "it ends.", "why?", "so it is")])(
  "a reason ends with one full stop if its cause ends with one: %s",
  (unclear) => {
    const { reason } = policy({ exec: { preset: "careful" } })
      .forSession(session("main"))
      .call(tool("exec"), {}, running("x", { unclear }));
    expect(reason).not.toMatch(/\.\.$|\?\.$/);
  },
);

test("asks about tools whose effects only a server declares, regardless of rules and before a call", () => {
  const unknown = { ...tool("exec"), id: "mcp-a/look", name: "look", pluginId: "mcp-a", builtIn: false };
  const looks = { ...unknown, groups: ["mcp", "unknown-effects"] };
  const made = createPolicy({ allow: ["look"] }, { tools: [looks] });
  const { visibility, call } = made.forSession(session("main"));
  expect(call(looks, {}, undefined)).toMatchObject({ effect: "ask" });
  expect(visibility(looks).reason).toContain("nobody has declared its effects");
  // Bridged ones are code that the host's author chose.
  for (const groups of [["mcp"], ["unknown-effects"]])
    expect(call({ ...looks, groups }, {}, undefined)).toMatchObject({ effect: "allow" });
  expect(
    createPolicy({ deny: ["look"] }, { tools: [looks] })
      .forSession(session("main"))
      .call(looks, {}, undefined),
  ).toMatchObject({ effect: "deny" });
});
