import type { CallSubjects, PathSubject, PlannedCommand, ToolEffect, ToolFacts } from "@haft/core";
import type { SandboxFacts } from "@haft/core/internal";
import { compileWildcard, matchesWildcard, type Wildcard } from "@haft/utils";
import {
  type CommandPattern,
  restrictsCommand,
  permitsCommand,
  readCommandPattern,
} from "./command-pattern.ts";
import type { Condition } from "./condition.ts";
import { compileHostPattern, type HostPattern, matchesHost, narrowerHost } from "./host-pattern.ts";
import { matchPath, type PathGlob, readPathGlob } from "./path-glob.ts";
import type { PatternProblem } from "./pattern-problem.ts";
import type { Selector } from "./selector.ts";

export interface CallFacts {
  readonly args: unknown;
  readonly subjects?: CallSubjects | undefined;
}

export interface MatchLimits extends SandboxFacts {
  /** Lists the reachable hosts. Absent: limited, but unknown. */
  readonly hosts?: readonly HostPattern[];
}

export interface CallMatcher {
  readonly action: string | undefined;
  readonly commands: readonly CommandPattern[];
  readonly paths: readonly PathGlob[];
  readonly hosts: readonly HostPattern[];
  readonly nodes: readonly Wildcard[];
  readonly args: readonly { readonly name: readonly string[]; readonly value: Wildcard }[];
  readonly writesOnly: boolean;
}

/** `unclear` is the rest of a sentence. */
export type Match = "yes" | "no" | { readonly unclear: string };

const needed = {
  command: ["execute"],
  path: ["read", "write", "execute"],
  host: ["network", "execute", "message"],
  node: ["execute"],
} as const satisfies Record<string, readonly ToolEffect[]>;

/** Whether calls of the tool can have this kind of subject, according to the tool's effects. */
export function canHaveSubject(tool: ToolFacts, kind: Condition["kind"]): boolean {
  return kind === "arg" || needed[kind].some((effect) => tool.effects.includes(effect));
}

/** `process` acts on running commands. Its input is evaluated as a call of `exec`. */
export function isInputOnly({ builtIn, name }: ToolFacts): boolean {
  return builtIn && name === "process";
}

/** @param opens opening lists compare paths case-sensitively */
export function compileMatcher({ action, conditions = [], target }: Selector, opens: boolean): CallMatcher {
  const of = <Pattern>(kind: Condition["kind"], compile: (pattern: string) => Pattern | PatternProblem) =>
    conditions.filter((each) => each.kind === kind).map(({ pattern }) => compile(pattern) as Pattern);
  return {
    action,
    commands: of("command", readCommandPattern),
    paths: of("path", (pattern) => readPathGlob(pattern, !opens)),
    hosts: of("host", compileHostPattern),
    nodes: of("node", compileWildcard),
    args: conditions
      .filter((each) => each.kind === "arg")
      .map(({ name, pattern }) => ({ name: name.split("."), value: compileWildcard(pattern) })),
    writesOnly: target.kind === "effect" && target.effect === "write",
  };
}

/** For restricting lists: applies if any subject matches; unclear if a subject is unknown. */
export function restrictsCall(
  matcher: CallMatcher,
  tool: ToolFacts,
  call: CallFacts,
  limits: MatchLimits | undefined,
): Match {
  const each: Match[] = [];
  if (matcher.action !== undefined) each.push(isAction(matcher.action, call));
  if (matcher.args.length > 0) each.push(holdsArguments(matcher, call));
  if (matcher.commands.length > 0) each.push(holdsCommands(matcher.commands, tool, call));
  if (matcher.paths.length > 0) each.push(holdsPaths(matcher, tool, call, limits));
  if (matcher.hosts.length > 0) each.push(holdsHosts(matcher.hosts, tool, call, limits));
  if (matcher.nodes.length > 0) each.push(holdsNodes(matcher.nodes, tool, call));
  return each.find((match) => match === "no") ?? each.find((match) => match !== "yes") ?? "yes";
}

/** For opening lists: returns matchers that together cover the whole call. Empty if a part is uncovered or unknown. */
export function findCoveringMatchers(
  matchers: readonly CallMatcher[],
  call: CallFacts,
): readonly CallMatcher[] {
  const fitting = matchers.filter((matcher) => {
    return (
      (matcher.action === undefined || isAction(matcher.action, call) === "yes") &&
      opensArguments(matcher, call)
    );
  });
  const alone = fitting.find((matcher) => {
    return kinds.every((kind) => matcher[kind].length === 0 || covers([matcher], kind, call.subjects));
  });
  if (alone) return [alone];
  for (const kind of kinds) {
    const together = fitting.filter((matcher) =>
      kinds.every((other) => matcher[other].length > 0 === (other === kind)),
    );
    if (together.length > 1 && covers(together, kind, call.subjects)) return together;
  }
  return [];
}

const kinds = ["commands", "paths", "hosts", "nodes"] as const;

function covers(
  matchers: readonly CallMatcher[],
  kind: (typeof kinds)[number],
  subjects: CallSubjects | undefined,
): boolean {
  const all = <Subject>(
    list: readonly Subject[] | undefined,
    fits: (one: Subject, by: CallMatcher) => boolean,
  ) => list !== undefined && list.length > 0 && list.every((one) => matchers.some((by) => fits(one, by)));
  if (kind === "commands") {
    const command = subjects?.command;
    if (command === undefined || command.unclear !== undefined) return false;
    return all(command.commands, (one, by) => by.commands.every((pattern) => permitsCommand(pattern, one)));
  }
  if (kind === "nodes") {
    const node = subjects?.node;
    return all(node && [node], (one, by) => by.nodes.every((pattern) => isNode(pattern, one)));
  }
  // Other effects of a command are unknown.
  if (subjects?.command !== undefined) return false;
  if (kind === "hosts")
    return all(subjects?.hosts, (one, by) => by.hosts.every((host) => matchesHost(host, one)));
  return all(subjects?.paths, (one, by) => {
    return by.paths.every((glob) => {
      if (one.outside === true && !glob.absolute) return false;
      const { itself, all: below } = matchPath(glob, one);
      return itself && (one.recursive !== true || below);
    });
  });
}

const unplanned = "it is not known what the call would do";

function isAction(action: string, { args, subjects }: CallFacts): Match {
  const given = subjects?.action ?? valueAt(args, ["action"]);
  if (typeof given === "string") return given === action ? "yes" : "no";
  return subjects === undefined ? { unclear: unplanned } : "no";
}

function holdsCommands(patterns: readonly CommandPattern[], tool: ToolFacts, { subjects }: CallFacts): Match {
  if (subjects === undefined) return canHaveSubject(tool, "command") ? { unclear: unplanned } : "no";
  const { command, node } = subjects;
  if (command === undefined)
    return couldThere(node, ["execute"]) ? { unclear: "the command of the node is unknown" } : "no";
  let wrapped: PlannedCommand | undefined;
  for (const planned of command.commands) {
    const each = patterns.map((pattern) => restrictsCommand(pattern, planned));
    if (each.every((match) => match === "yes")) return "yes";
    if (each.every((match) => match !== "no")) wrapped ??= planned;
  }
  const unclear = command.unclear ?? command.hidden;
  if (unclear !== undefined) return { unclear };
  if (wrapped === undefined) return "no";
  return {
    unclear:
      wrapped.open === true
        ? `${wrapped.name} gets arguments that are unknown before it runs`
        : wrapped.through.length > 0
          ? `it runs through ${wrapped.through.join(" and ")}`
          : wrapped.argv[1]?.startsWith("-") === true
            ? `${wrapped.name} has options before its other arguments`
            : `${wrapped.name} can start a program that its arguments name`,
  };
}

function holdsPaths(
  { paths: globs, writesOnly }: CallMatcher,
  tool: ToolFacts,
  { subjects }: CallFacts,
  limits: MatchLimits | undefined,
): Match {
  if (subjects === undefined) return canHaveSubject(tool, "path") ? { unclear: unplanned } : "no";
  let below: PathSubject | undefined;
  for (const path of subjects.paths ?? []) {
    if (writesOnly && path.access !== "write") continue;
    const each = globs.map((glob) => matchPath(glob, path));
    if (each.every(({ itself }) => itself)) return "yes";
    if (path.recursive === true && each.every(({ itself, some }) => itself || some)) below ??= path;
  }
  if (below) {
    const { path, relative } = below;
    return {
      unclear: `it acts on everything below ${relative === "" || relative === "." ? path : relative}`,
    };
  }
  const reaches = subjects.command !== undefined && limits?.mount !== "none";
  return reaches ? { unclear: "a command can reach any file" } : "no";
}

function holdsHosts(
  patterns: readonly HostPattern[],
  tool: ToolFacts,
  { subjects }: CallFacts,
  limits: MatchLimits | undefined,
): Match {
  if (subjects === undefined) return canHaveSubject(tool, "host") ? { unclear: unplanned } : "no";
  const hit = subjects.hosts?.some((host) => patterns.every((pattern) => matchesHost(pattern, host)));
  if (hit === true) return "yes";
  const open = limits?.hosts?.some((host) => patterns.every((pattern) => narrowerHost(host, pattern)));
  if (couldThere(subjects.node, ["execute", "network"])) return { unclear: "the node can reach any host" };
  const reaches = subjects.command !== undefined && limits?.network !== "none" && open !== false;
  return reaches ? { unclear: "a command can reach any host" } : "no";
}

/** A node pattern matches the id and the name, because calls may use either. */
function holdsNodes(patterns: readonly Wildcard[], tool: ToolFacts, { subjects }: CallFacts): Match {
  if (subjects === undefined) return canHaveSubject(tool, "node") ? { unclear: unplanned } : "no";
  const { node } = subjects;
  return node !== undefined && patterns.every((pattern) => isNode(pattern, node)) ? "yes" : "no";
}

function isNode(pattern: Wildcard, { id, name }: NonNullable<CallSubjects["node"]>): boolean {
  return matchesWildcard(pattern, name) || matchesWildcard(pattern, id);
}

function couldThere(node: CallSubjects["node"], effects: readonly ToolEffect[]): boolean {
  if (node === undefined) return false;
  return node.effects === undefined || effects.some((effect) => node.effects!.includes(effect));
}

function holdsArguments(matcher: CallMatcher, { args }: CallFacts): Match {
  if (args === undefined || args === null) return { unclear: "its arguments are unknown" };
  for (const { name, value } of matcher.args) {
    const texts = textsOf(valueAt(args, name));
    if (texts === undefined) return { unclear: `its argument ${name.join(".")} is not plain text` };
    if (!texts.some((text) => matchesWildcard(value, text))) return "no";
  }
  return "yes";
}

function opensArguments(matcher: CallMatcher, { args }: CallFacts): boolean {
  return matcher.args.every(({ name, value }) => {
    const texts = textsOf(valueAt(args, name));
    return texts !== undefined && texts.length > 0 && texts.every((text) => matchesWildcard(value, text));
  });
}

/** Returns none for a missing value, `undefined` for a value that is not text. */
function textsOf(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return [];
  if (typeof value === "object" && !Array.isArray(value)) return undefined;
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.some((each) => typeof each === "object") ? undefined : values.map(String);
}

function valueAt(value: unknown, name: readonly string[]): unknown {
  for (const key of name) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
