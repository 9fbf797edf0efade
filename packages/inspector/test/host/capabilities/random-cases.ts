import { fc } from "@fast-check/vitest";
import type { Sender, SessionKind } from "@haft/core";
import type { PolicyConfig, SessionRules } from "@haft/policy";

const selectors = [
  "read",
  "write",
  "edit",
  "ls",
  "exec",
  "bash",
  "process",
  "group:fs",
  "group:runtime",
  "group:plugins",
  "effect:read",
  "effect:write",
  "effect:execute",
  "effect:network",
  "effect:message",
  "lab",
  "lab/fetch",
  "lab/say",
  "lab/stamp",
  "*",
  "read(path:src/**)",
  "read(path:**/.env)",
  "write(path:docs/**)",
  "edit(path:docs/**)",
  "group:fs(path:**/.env)",
  "effect:write(path:docs/**)",
  "effect:read(path:**/.env)",
  "exec(touch *)",
  "exec(rm -rf *)",
  "exec(cat *)",
  "bash(ls)",
  "group:runtime(command:curl *)",
  "*(host:*.example.com)",
  "*(path:src/**)",
  "lab/fetch(arg:url=https://a.example.com/*)",
  "process:kill",
];

const list = fc.uniqueArray(fc.constantFrom(...selectors), { minLength: 1, maxLength: 3 });
const senders = fc.uniqueArray(fc.constantFrom("id:1", "id:2", "*"), { minLength: 1, maxLength: 2 });

const commands = fc.uniqueArray(fc.constantFrom("touch *", "cat *", "ls", "curl *"), {
  minLength: 1,
  maxLength: 2,
});
const network = fc.constantFrom("none", "full", ["a.example.com"]);

const howCommandsRun = fc.oneof(
  fc.record({ preset: fc.constant("contained"), network }, { requiredKeys: ["preset"] }),
  fc.record({ preset: fc.constant("careful"), allow: commands }, { requiredKeys: ["preset"] }),
  fc.record({ allow: commands }),
  fc.record({ containment: fc.constantFrom("workspace", "read-only"), network }),
  fc.record({ containment: fc.constantFrom("workspace", "read-only"), allow: commands }),
  fc.record({ security: fc.constantFrom("deny", "allowlist", "full") }),
  fc.record({ ask: fc.constantFrom("always", "off") }),
);

const elevated = fc.record(
  { mode: fc.constantFrom("full", "full", "ask", "off"), senders },
  { requiredKeys: ["mode"] },
);

const execRules = fc
  .tuple(howCommandsRun, fc.option(elevated, { nil: undefined, freq: 2 }))
  .map(([exec, more]) => ({ ...exec, ...(more && { elevated: more }) }));

/** One thing that a scope says; several at once leave nothing to do. */
const someRules = fc.oneof(
  { weight: 4, arbitrary: fc.record({ deny: list }) },
  { weight: 4, arbitrary: fc.record({ ask: list }) },
  { weight: 4, arbitrary: fc.record({ grant: list }) },
  { weight: 2, arbitrary: fc.record({ allow: list }) },
  { weight: 6, arbitrary: fc.record({ exec: execRules }) },
  { weight: 1, arbitrary: fc.record({ profile: fc.constantFrom("minimal", "coding", "messaging", "full") }) },
) as fc.Arbitrary<SessionRules>;

const scope = (...keys: string[]) =>
  fc.tuple(fc.constantFrom(...keys), someRules).map(([key, rules]) => ({ [key]: rules }));

const parts = fc.oneof(
  fc.record({ sessions: scope("main", "group", "sandboxed") }),
  fc.record({ groups: scope("room") }),
  fc.record({ channels: scope("chat") }),
  fc.record({ agents: scope("main") }),
  fc.record({ senders: scope("id:1", "*", "unknown") }),
  fc.record({ models: scope("acme") }),
  fc.record({ subagents: someRules }),
) as fc.Arbitrary<PolicyConfig>;

/** Many sessions of a group, so grants for them are among all. */
const granted = fc.constantFrom<PolicyConfig>(
  {},
  {},
  { sessions: { group: { grant: ["*"] }, sandboxed: { grant: ["*"] } } },
);

export const configs = fc
  .tuple(
    granted,
    fc.option(someRules, { nil: {}, freq: 4 }),
    fc.option(someRules, { nil: {}, freq: 2 }),
    fc.option(parts, { nil: {}, freq: 2 }),
  )
  .map(([first, one, other, part]): PolicyConfig => ({ ...first, ...one, ...other, ...part }));

/** A session, and whether the machine contains its commands as the policy wants. */
export interface RandomSession {
  kind: SessionKind;
  groupId?: string;
  messageChannel?: string;
  model?: string;
  sender?: Sender | "system";
  contains: boolean;
}

const who: fc.Arbitrary<Sender | "system" | undefined> = fc.constantFrom<Sender | "system" | undefined>(
  undefined,
  "system",
  { id: "1" },
  { id: "2" },
  { name: "Ann" },
);

export const sessions: fc.Arbitrary<RandomSession> = fc
  .record({
    kind: fc.constantFrom<SessionKind>("main", "group", "sandboxed"),
    groupId: fc.constantFrom(undefined, "room", "hall"),
    messageChannel: fc.constantFrom(undefined, "chat"),
    model: fc.constantFrom(undefined, "acme/large"),
    sender: who,
    contains: fc.constantFrom(true, true, true, false),
  })
  .map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as never);

export interface RandomCall {
  session: number;
  name: string;
  arguments: Record<string, unknown>;
  sender?: Sender | "system" | undefined;
}

const paths = ["src/a.txt", "docs/b.md", "src/.env", "new.txt", "."];
const lines = [
  "ls",
  "touch x",
  "cat src/a.txt",
  "rm -rf build",
  "curl https://a.example.com/x",
  "curl https://b.example.com/x",
  "echo $(date)",
  "cat src/.env > docs/b.md",
  "touch y && ls",
  "env touch z",
];
const path = fc.constantFrom(...paths);
const command = fc
  .tuple(
    fc.constantFrom(...lines),
    fc.constantFrom(
      {},
      {},
      {},
      { elevated: true },
      { outside: true, reason: "it needs more" },
      { outside: true, reason: "it needs more", elevated: true },
      { network: ["b.example.com"], reason: "it needs that" },
      { ask: "always" },
      { security: "allowlist" },
    ),
  )
  .map(([text, more]) => ({ command: text, ...more }));

const made: fc.Arbitrary<Pick<RandomCall, "name" | "arguments">> = fc.oneof(
  fc.record({ name: fc.constant("exec"), arguments: command }),
  fc.record({ name: fc.constant("exec"), arguments: command }),
  fc.record({
    name: fc.constant("bash"),
    arguments: fc.constantFrom(...lines).map((text) => ({ command: text })),
  }),
  fc.record({ name: fc.constantFrom("read", "ls"), arguments: fc.record({ path }) }),
  fc.record({
    name: fc.constant("write"),
    arguments: fc.record({ path, content: fc.string({ maxLength: 5 }) }),
  }),
  fc.record({
    name: fc.constant("edit"),
    arguments: fc.record({ path, edits: fc.constant([{ oldText: "a", newText: "b" }]) }),
  }),
  fc.record({ name: fc.constant("grep"), arguments: fc.record({ pattern: fc.constant("a"), path }) }),
  fc.record({
    name: fc.constantFrom("fetch", "say", "stamp", "run", "plain"),
    arguments: fc.record({ url: fc.constantFrom("https://a.example.com/1", "https://b.example.com/2") }),
  }),
);

export const calls = fc.array(
  fc
    .tuple(made, fc.nat({ max: 2 }), fc.option(who, { nil: undefined, freq: 3 }))
    .map(([call, session, sender]): RandomCall => ({ ...call, session, sender })),
  { minLength: 44, maxLength: 44 },
);
