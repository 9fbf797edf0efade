import { expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { policy, tools } from "../fixtures.ts";

const contained = { preset: "contained" } as const;

test.each<[string, PolicyConfig, [path: string, says: RegExp][]]>([
  ["nothing wrong", { exec: { preset: "contained", network: ["example.com"], caches: ["~/.npm"] } }, []],
  ["a network that nobody contains", { exec: { network: "none" } }, [["exec.network", /no layer requires/]]],
  ["caches that nobody contains", { exec: { caches: ["~/.npm"] } }, [["exec.caches", /no layer requires/]]],
  [
    "a network beside containment of another kind of session",
    { sessions: { main: { exec: { network: "none" } }, group: { exec: contained } } },
    [["sessions.main.exec.network", /no layer requires/]],
  ],
  [
    "a network for an agent whose session is contained by kind",
    { sessions: { main: { exec: contained } }, agents: { ada: { exec: { network: "none" } } } },
    [],
  ],
  [
    "no containment beside that of all",
    { exec: contained, agents: { ada: { exec: { containment: "none" } } } },
    [["agents.ada.exec.containment", /^exec\.preset requires containment in every session/]],
  ],
  [
    "hosts beside none by default",
    { exec: contained, agents: { ada: { exec: { network: ["example.com"] } } } },
    [
      [
        "agents.ada.exec.network",
        /^exec\.preset, which has no network, allows less .* reach nothing; .* to exec\.network first/,
      ],
    ],
  ],
  [
    "hosts beside some of them",
    {
      exec: { preset: "contained", network: ["example.com"] },
      agents: { ada: { exec: { network: ["example.com", "example.org"] } } },
    },
    [["agents.ada.exec.network", /^exec\.network allows less .* reach example\.com; /]],
  ],
  [
    "this machine, by its names",
    { exec: { preset: "contained", network: ["localhost", "127.0.0.1", "localhost.example.com", "*"] } },
    [
      ["exec.network[0]", /"localhost" has no effect here/],
      ["exec.network[1]", /never reach services of this machine/],
    ],
  ],
  [
    "hosts out of all of them",
    {
      exec: { preset: "contained", network: ["*.example.com"] },
      agents: { ada: { exec: { network: ["a.example.com"] } } },
    },
    [],
  ],
  [
    "a sandbox that is contained",
    { sessions: { sandboxed: { exec: { preset: "contained", network: "none" } } } },
    [
      ["sessions.sandboxed.exec.preset", /use their sandbox/],
      ["sessions.sandboxed.exec.network", /use their sandbox/],
    ],
  ],
  [
    "the same twice",
    { exec: { preset: "contained", network: ["example.com", "Example.com"], caches: ["~/.npm", "~/.npm"] } },
    [
      ["exec.caches[1]", /the same as exec\.caches\[0\]/],
      ["exec.network[1]", /the same as exec\.network\[0\]/],
    ],
  ],
])("warns about %s", (_what, config, expected) => {
  const found = policy(config).warnings.map(({ path, message }) => [path, message]);
  expect(found).toEqual(expected.map(([path, says]) => [path, expect.stringMatching(says)]));
});

test("does not warn if another document requires containment", () => {
  const warnings = (config: PolicyConfig, administrator: PolicyConfig) =>
    createPolicy(config, { tools, administrator: { config: administrator, source: "a.json" } }).warnings;
  expect(warnings({ exec: { network: "none" } }, { exec: contained })).toEqual([]);
  expect(warnings({ exec: contained }, { exec: { network: "none" } })).toEqual([]);
  expect(warnings({}, { exec: { network: "none" } })).toEqual([]);
  expect(warnings({ exec: { network: "none" } }, { deny: ["write"] })).toHaveLength(1);
});
