import { fc, test as property } from "@fast-check/vitest";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { parsePolicyConfig } from "../../src/read/parse-policy.ts";
import { type PolicyConfig, scopeParts } from "../../src/read/policy-config.ts";
import { policySchema } from "../../src/read/policy-schema.ts";
import { configs, getProblems } from "../fixtures.ts";

const schema = policySchema();
const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);
const accepts = (value: unknown) => validate(value);
const parses = (value: unknown) => getProblems(() => parsePolicyConfig(value)).length === 0;

test("describes every key", () => {
  // oxlint-disable-next-line typescript/no-explicit-any
  const { properties, definitions } = schema as any;
  const { exec, elevated, scope } = definitions;
  for (const each of [properties, exec.properties, elevated.properties, scope.properties]) {
    for (const value of Object.values<{ description?: string }>(each)) expect(value.description).toBeTruthy();
  }
});

property.prop([configs], { numRuns: scaleRuns(200, 4) })(
  "accepts everything that the parser accepts",
  (config) => {
    expect(parses(config)).toBe(true);
    expect(accepts(config)).toBe(true);
  },
);

const rules: PolicyConfig = {
  profile: "coding",
  grant: ["write", "word-count/count"],
  deny: ["effect:network", "process:kill", "*(path:**/.env)", "group:fs"],
  allow: ["*"],
  ask: [
    "exec(git push*)",
    "effect:write(path:docs/**)",
    "send(arg:to=*@example.com)",
    "web_fetch(host:*.example.com)",
  ],
  exec: {
    preset: "careful",
    allow: ["git status*"],
    safeBins: ["head", "g++"],
    trustedDirs: ["/opt/bin"],
    elevated: { mode: "ask", senders: ["id:7", "chat/username:ada"] },
  },
};

test("accepts a policy that uses every key in every scope, like the parser", () => {
  const scopes = Object.fromEntries(
    scopeParts.map((part) => [
      part,
      { [part === "sessions" ? "group" : part === "senders" ? "phone:+1" : "x"]: rules },
    ]),
  );
  const config = { mode: "shadow", ...rules, ...scopes, subagents: rules };
  expect(getProblems(() => parsePolicyConfig(config))).toEqual([]);
  expect({ accepted: accepts(config), errors: validate.errors }).toEqual({ accepted: true, errors: null });
});

describe("rejects everything that the parser rejects", () => {
  test.each<[string, unknown]>([
    ["null", null],
    ["a list", []],
    ["a text", "deny"],
    ["an unknown key", { denny: [] }],
    ["an unknown kind of session", { sessions: { grup: {} } }],
    ["an unknown key of a scope", { agents: { ada: { sessions: {} } } }],
    ["a mode in a scope", { agents: { ada: { mode: "off" } } }],
    ["an unknown mode", { mode: "on" }],
    ["false, for off", { mode: false }],
    ["an unknown profile", { profile: "codign" }],
    ["an empty allow", { allow: [] }],
    ["a list that is none", { deny: "write" }],
    ["an entry that is no text", { deny: [3] }],
    ["an empty selector", { deny: [""] }],
    ["a padded selector", { deny: ["read "] }],
    ["three slashes", { deny: ["a/b/c"] }],
    ["an unknown effect", { grant: ["effect:fly"] }],
    ["a condition that does not end", { deny: ["read(path:x"] }],
    ["a condition of nothing", { deny: ["read()"] }],
    ["an unknown exec key", { exec: { safe: [] } }],
    ["an unknown security", { exec: { security: "none" } }],
    ["an unknown ask", { exec: { ask: true } }],
    ["an unknown preset", { exec: { preset: "carefull" } }],
    ["an empty list of commands", { exec: { allow: [] } }],
    ["every command as a list", { exec: { allow: ["*"] } }],
    ["a safe bin with a folder", { exec: { security: "allowlist", safeBins: ["/bin/cat"] } }],
    ["a trusted folder that is not absolute", { exec: { security: "allowlist", trustedDirs: ["bin"] } }],
    ["an unknown key of elevated", { exec: { elevated: { who: [] } } }],
    ["nobody as a sender", { senders: { ada: {} } }],
    ["a padded agent", { agents: { " ada": {} } }],
    ["an empty agent", { agents: { "": {} } }],
    ["subagents of many", { subagents: { ada: {} } }],
  ])("%s", (_, value) => {
    expect({ parses: parses(value), accepts: accepts(value) }).toEqual({ parses: false, accepts: false });
  });
});

property.prop([fc.string({ maxLength: 12 })])(
  "accepts every selector that the parser accepts",
  (selector) => {
    if (parses({ deny: [selector] })) expect(accepts({ deny: [selector] })).toBe(true);
  },
);
