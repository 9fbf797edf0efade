import { fc } from "@fast-check/vitest";
import type {
  CallSubjects,
  CommandSubject,
  PathSubject,
  PlannedCommand,
  SessionFacts,
  SessionKind,
  ToolEffect,
  ToolFacts,
} from "@haft/core";
import { HaftError } from "@haft/core";
import { createPolicy, type ExplainingPolicy } from "../src/create-policy.ts";
import { profileNames } from "../src/patterns/profiles.ts";
import { type PolicyConfig, type SessionRules, sessionKinds } from "../src/read/policy-config.ts";

function builtIn(
  name: string,
  group: string,
  effects: ToolEffect[],
  more: Partial<ToolFacts> = {},
): ToolFacts {
  const pluginId = `haft-${group}`;
  return {
    id: `${pluginId}/${name}`,
    name,
    pluginId,
    optional: false,
    effects,
    groups: [group],
    builtIn: true,
    ...more,
  };
}

function plugged(id: string, effects: ToolEffect[], more: Partial<ToolFacts> = {}): ToolFacts {
  const [pluginId = "", name = ""] = id.split("/");
  return { id, name, pluginId, optional: false, effects, groups: [], builtIn: false, ...more };
}

const path = { name: "path", aliases: ["file_path", "file"] };

/** A host with all built-in tools, a few plugins, and the awkward cases. */
export const tools: readonly ToolFacts[] = [
  builtIn("read", "fs", ["read"], { parameters: [path, { name: "offset" }, { name: "limit" }] }),
  builtIn("write", "fs", ["write"], { parameters: [path, { name: "content" }] }),
  builtIn("edit", "fs", ["read", "write"], {
    parameters: [
      path,
      { name: "edits", compound: true },
      { name: "mode" },
      { name: "replaceAll", values: ["true", "false"] },
    ],
  }),
  builtIn("apply_patch", "fs", ["read", "write"]),
  builtIn("ls", "fs", ["read"]),
  builtIn("exec", "runtime", ["execute"], {
    parameters: [
      { name: "command", aliases: ["cmd"] },
      { name: "workdir" },
      { name: "env", compound: true },
      { name: "env.*" },
    ],
  }),
  builtIn("process", "runtime", ["execute"], { actions: ["list", "poll", "log", "kill"] }),
  builtIn("bash", "runtime", ["execute"]),
  builtIn("node_invoke", "nodes", ["network", "execute"]),
  plugged("weather/weather", ["network"]),
  plugged("chat/send_message", ["message"], {
    groups: ["messaging"],
    parameters: [
      { name: "to", aliases: ["recipient"], compound: true },
      { name: "to.name" },
      { name: "to.address", aliases: ["mail"] },
      { name: "body" },
    ],
  }),
  plugged("chat/list_rooms", ["read"], { groups: ["fs"], parameters: [{ name: "limit" }] }),
  plugged("web/fetch", ["read", "network"]),
  plugged("math/add", [], { parameters: [{ name: "x" }, { name: "y" }] }),
  plugged("extras/secret_scan", ["read"], { optional: true }),
  // Claims the name of a built-in tool.
  plugged("rogue/write", ["write"]),
];

export function tool(id: string): ToolFacts {
  const found =
    tools.find((each) => each.builtIn && each.name === id) ?? tools.find((each) => each.id === id);
  if (!found) throw new Error(`no ${id} in the fixtures`);
  return found;
}

export function session(kind: SessionKind, agentId = ""): SessionFacts {
  return { kind, agentId, model: "", messageChannel: "" };
}

const made = new WeakMap<PolicyConfig, ExplainingPolicy>();

/** The policy of a document with these tools; of the same object it is made once. */
export function policy(config: PolicyConfig): ExplainingPolicy {
  const known = made.get(config) ?? createPolicy(config, { tools, source: "policy.json" });
  made.set(config, known);
  return known;
}

export function getEffect(config: PolicyConfig, kind: SessionKind, id: string, agentId = "") {
  return policy(config).forSession(session(kind, agentId)).call(tool(id), {}).effect;
}

export function getProblems(make: () => unknown): { path: string; message: string; nearest?: string[] }[] {
  try {
    make();
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code === "POLICY_INVALID")
      return thrown.details?.["problems"] as never;
    throw thrown;
  }
  return [];
}

export const valid = (config: PolicyConfig): boolean => getProblems(() => policy(config)).length === 0;

/** Drops whatever makes a random policy invalid. */
export function repaired(config: PolicyConfig): PolicyConfig {
  let current: unknown = config;
  for (let round = 0; round < 10; round++) {
    const problems = getProblems(() => policy(current as PolicyConfig));
    if (problems.length === 0) break;
    // The last first, so that removing one does not move the others.
    for (const { path } of problems.toReversed()) {
      const keys = path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([A-Za-z_][\w-]*)/g);
      current = without(
        current,
        [...keys].map(([, quoted, index, word]) => quoted ?? index ?? word!),
      );
    }
  }
  return current as PolicyConfig;
}

function without(value: unknown, [key, ...rest]: string[]): unknown {
  if (Array.isArray(value)) return value.length > 1 ? value.filter((_, at) => String(at) !== key) : undefined;
  const { [key!]: inner, ...others } = (value ?? {}) as Record<string, unknown>;
  if (inner === undefined) return value;
  const left = rest.length === 0 ? undefined : without(inner, rest);
  return left === undefined ? others : { ...others, [key!]: left };
}

/** Selectors that are right for these tools, wide and narrow. */
export const selectors = (
  "* read edit exec bash node_invoke weather send_message add secret_scan haft-fs/write rogue/write haft-fs " +
  "chat extras rogue *e* chat/* apply_* group:fs group:runtime group:plugins " +
  "effect:read effect:write effect:execute effect:network"
).split(" ");

const list = (from: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom(...from), { minLength: 1, maxLength: 3 });

export const rules: fc.Arbitrary<SessionRules> = fc
  .record(
    {
      profile: fc.constantFrom(...profileNames),
      allow: list(selectors),
      deny: list(selectors),
      ask: list(selectors),
      grant: list(selectors),
    },
    { requiredKeys: [] },
  )
  .map((made) => {
    // What is denied and listed otherwise in one scope is a contradiction; drop the denial.
    const open = new Set([...(made.allow ?? []), ...(made.grant ?? []), ...(made.ask ?? [])]);
    return made.deny ? { ...made, deny: made.deny.filter((selector) => !open.has(selector)) } : made;
  });

export const configs: fc.Arbitrary<PolicyConfig> = fc
  .tuple(
    rules,
    fc.record({ main: rules, group: rules, sandboxed: rules }, { requiredKeys: [] }),
    fc.record({ ada: rules, bob: rules }, { requiredKeys: [] }),
  )
  .map(([root, sessions, agents]) => repaired({ ...root, sessions, agents }))
  .filter(valid);

export const kinds = fc.constantFrom(...sessionKinds);
export const agentIds = fc.constantFrom("", "ada", "bob", "eve");
export const anyTool = fc.constantFrom(...tools);

/** How far an effect lets a call go. */
export const reach = { deny: 0, ask: 1, allow: 2 };

/** A planned command as the analysis makes it of a plain line: `git status`, found in `/usr/bin`. */
export function command(text: string, more: Partial<PlannedCommand> = {}): PlannedCommand {
  const argv = text.split(" ");
  const name = argv[0]!;
  return { name, path: name.startsWith("/") ? name : `/usr/bin/${name}`, argv, through: [], ...more };
}

/** What a call of `exec` with this line is about: commands joined by `&&`. */
export function running(text: string, more: Partial<CommandSubject> = {}): CallSubjects {
  return {
    command: { text, cwd: "/work", commands: text.split(" && ").map((each) => command(each)), ...more },
  };
}

export function paths(access: PathSubject["access"], ...relative: string[]): CallSubjects {
  return { paths: relative.map((each) => ({ path: `/work/${each}`, relative: each, access })) };
}
