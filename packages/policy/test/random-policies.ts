import { fc } from "@fast-check/vitest";
import type { CallSubjects, ContainmentFacts, PlannedCommand, SessionFacts } from "@haft/core";
import { profileNames } from "../src/patterns/profiles.ts";
import type { ExecRules } from "../src/read/exec-config.ts";
import type { PolicyConfig, SessionRules } from "../src/read/policy-config.ts";
import { repaired, selectors, valid } from "./fixtures.ts";

/** Selectors that look at what a call would do, beside the plain ones. */
const conditional = [
  ...selectors,
  "exec(git *)",
  "exec(rm *)",
  "group:runtime(command:*)",
  "exec(/usr/bin/git status)",
  "*(path:src/**)",
  "read(path:**/.env)",
  "effect:write(path:docs/**)",
  "group:fs(path:{src,docs}/*)",
  "web/fetch(host:*.example.com)",
  "*(host:example.org)",
  "process:kill",
  "*:poll",
  "math/add(arg:x=1*)",
  "chat(arg:to.name=ada)",
];

const list = (from: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom(...from), { minLength: 1, maxLength: 3 });
const patterns = ["git", "git *", "git status*", "/usr/bin/git", "rm -rf*", "*/wc", "ls"];

export const someNetworks: fc.Arbitrary<ContainmentFacts["network"]> = fc.oneof(
  fc.constantFrom("none" as const, "full" as const),
  list(["example.org", "*.example.com", "a.example.com", "*"]),
);

const execRules: fc.Arbitrary<ExecRules> = fc.record(
  {
    preset: fc.constantFrom("careful" as const, "contained" as const),
    containment: fc.constantFrom("workspace" as const, "read-only" as const, "none" as const),
    network: someNetworks,
    caches: list(["~/.npm", "~/.cache", "~/.cache/pip", "/srv/cache"]),
    security: fc.constantFrom("deny", "allowlist", "full"),
    ask: fc.constantFrom("off", "on-miss", "always"),
    allow: list(patterns),
    safeBins: list(["wc", "head"]),
  },
  { requiredKeys: [] },
);

/** One scope; without `elevated`, which is the other thing that opens. */
export const richRules: fc.Arbitrary<SessionRules> = fc.record(
  {
    profile: fc.constantFrom(...profileNames),
    allow: list(conditional),
    deny: list(conditional),
    ask: list(conditional),
    grant: list(conditional),
    exec: execRules,
  },
  { requiredKeys: [] },
);

const some = (...keys: string[]) =>
  fc.record(Object.fromEntries(keys.map((key) => [key, richRules])), { requiredKeys: [] });

const parts = {
  sessions: some("main", "group", "sandboxed"),
  models: some("acme", "acme/large"),
  agents: some("ada", "bob"),
  channels: some("chat"),
  groups: some("room"),
  senders: some("id:1", "*", "unknown"),
  subagents: richRules,
};

export const richConfigs: fc.Arbitrary<PolicyConfig> = fc
  .tuple(richRules, fc.record(parts, { requiredKeys: [] }))
  .map(([root, scopes]) => repaired({ ...root, ...scopes } as PolicyConfig))
  .filter(valid);

/** In a sandbox there is no other view. */
function without({ containment: _containment, ...facts }: SessionFacts): SessionFacts {
  return facts;
}

const plainFacts: fc.Arbitrary<SessionFacts> = fc
  .record(
    {
      kind: fc.constantFrom("main" as const, "group" as const, "sandboxed" as const),
      agentId: fc.constantFrom("", "ada", "bob"),
      model: fc.constantFrom("", "acme/large", "acme/small"),
      messageChannel: fc.constantFrom("", "chat"),
      groupId: fc.constantFrom("room", "hall"),
      sender: fc.constantFrom("system" as const, { id: "1" }, { id: "2" }),
      containment: fc.record({
        mode: fc.constantFrom("workspace" as const, "read-only" as const),
        network: someNetworks,
      }),
    },
    { requiredKeys: ["kind", "agentId", "model", "messageChannel"] },
  )
  .map((facts): SessionFacts => {
    return facts.kind === "sandboxed"
      ? { ...without(facts), sandbox: { mount: "ro", network: "none" } }
      : facts;
  });

export const someFacts: fc.Arbitrary<SessionFacts> = fc
  .tuple(plainFacts, fc.option(plainFacts, { nil: undefined, freq: 3 }))
  .map(([facts, parent]) => (parent === undefined ? facts : { ...facts, parent }));

const commands = fc
  .tuple(
    fc.constantFrom("git status", "git push", "rm -rf x", "ls", "wc -l"),
    fc.record({ harmless: fc.boolean(), through: fc.constantFrom([], ["env"]) }),
    fc.constantFrom("/usr/bin/", "/work/bin/"),
  )
  .map(([text, more, folder]): PlannedCommand => {
    const argv = text.split(" ");
    return { name: argv[0]!, path: `${folder}${argv[0]!}`, argv, ...more };
  });

const pathSubjects = fc.array(
  fc.record({
    relative: fc.constantFrom("src/a", "docs/b", ".env", "src", ""),
    access: fc.constantFrom("read" as const, "write" as const),
    recursive: fc.boolean(),
  }),
  { maxLength: 2 },
);

/** What a call might be about; `undefined` when nobody worked it out. Wishes for a list of its own are left out. */
export const someSubjects: fc.Arbitrary<CallSubjects | undefined> = fc.option(
  fc
    .record(
      {
        action: fc.constantFrom("kill", "poll"),
        paths: pathSubjects.map((list) => list.map((each) => ({ ...each, path: `/work/${each.relative}` }))),
        hosts: fc.uniqueArray(fc.constantFrom("a.example.com", "example.org", "localhost"), { maxLength: 2 }),
        command: fc
          .record(
            {
              commands: fc.array(commands, { maxLength: 2 }),
              unclear: fc.constant("it uses $( )"),
              security: fc.constantFrom("deny" as const, "full" as const),
              ask: fc.constantFrom("off" as const, "on-miss" as const, "always" as const),
              elevated: fc.boolean(),
              outside: fc.constantFrom("it needs the keys of the user", ""),
            },
            { requiredKeys: ["commands"] },
          )
          .map((command) => ({ text: "…", cwd: "/work", ...command })),
      },
      { requiredKeys: [] },
    )
    .map((subjects): CallSubjects => subjects),
  { nil: undefined, freq: 5 },
);

export const someArgs: fc.Arbitrary<unknown> = fc.constantFrom(
  {},
  undefined,
  { x: "12" },
  { x: 3, action: "kill" },
  { to: { name: "ada" }, action: "poll" },
);
