import type { ToolEffect } from "@haft/core";
import { findSpecProblem, readSchema } from "@haft/core/internal";
import { nodesError } from "../errors.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { AnyNodeCommand } from "./command.ts";
import { type DeclaredWorkspace, type NodeWorkspace, toOfferName, WORKSPACE_PREFIX } from "./workspace.ts";

/** Describes a command as JSON. */
export interface DeclaredCommand {
  /** Names the command. */
  readonly name: string;
  /** Describes the command to the model and the operator. */
  readonly description: string;
  /** Contains the parameters' JSON Schema, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Lists all possible effects on the node, sorted. */
  readonly effects: readonly ToolEffect[];
  /** Limits a call in milliseconds. */
  readonly timeoutMs: number;
  /** Limits a result in bytes. */
  readonly resultBytes: number;
}

/**
 * Describes everything that a node offers.
 *
 * @example
 * ```ts
 * import type { NodeDeclaration } from "@haft/nodes";
 * const changing = ({ commands }: NodeDeclaration) =>
 *   commands.filter(({ effects }) => effects.some((effect) => effect !== "read")).map(({ name }) => name);
 * ```
 */
export interface NodeDeclaration {
  /** Contains the commands, sorted by name. */
  readonly commands: readonly DeclaredCommand[];
  /** Contains the workspaces, sorted by name. */
  readonly workspaces: readonly DeclaredWorkspace[];
}

/** Words after the first dot may be tool names. */
const NAME = /^[a-z][a-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9_-]*)+$/;
const EFFECTS: readonly string[] = ["read", "write", "execute", "network", "message"] satisfies ToolEffect[];
const LIMITS = {
  name: 64,
  description: 1_024,
  commands: 200,
  declaration: 256 * 1024,
  timeoutMs: 3_600_000,
  resultBytes: 16 * 1024 * 1024,
};

export function createDeclaration(
  commands: readonly AnyNodeCommand[],
  workspaces: readonly NodeWorkspace[] = [],
): NodeDeclaration {
  const declared = commands.map((command) => {
    const parameterSchema = readSchema(command.parameters, "parameters");
    if ("problem" in parameterSchema) throw invalid(command.name, parameterSchema.problem);
    const { name, description, effects, timeoutMs = 60_000, resultBytes = 1024 * 1024 } = command;
    return { name, description, parameters: parameterSchema.schema, effects, timeoutMs, resultBytes };
  });
  const offered = declaredWorkspaces(workspaces);
  const wrong = problemWithWorkspaces(offered);
  if (wrong !== undefined)
    throw nodesError(
      "NODE_OPTIONS_INVALID",
      `${JSON.stringify(wrong.offer)} cannot be offered: ${wrong.what}.`,
    );
  const problem = problemWith(declared, offered);
  if (problem !== undefined) throw invalid(problem.command, problem.what);
  return inOrder(declared, offered);
}

/** Validates a received declaration. @throws HaftError `NODE_DECLARATION_INVALID` */
export function readDeclaration(value: unknown): NodeDeclaration {
  const { commands, workspaces = [] } = (value ?? {}) as { commands?: unknown; workspaces?: unknown };
  if (!Array.isArray(commands)) throw unreadable("it has no list of commands");
  if (!Array.isArray(workspaces)) throw unreadable("its workspaces are not a list");
  const declared = commands.map((each: unknown) => {
    const { name, description, parameters, effects, timeoutMs, resultBytes } = (each ??
      {}) as DeclaredCommand;
    const parameterSchema = readSchema(parameters, "parameters");
    if ("problem" in parameterSchema) throw unreadable(parameterSchema.problem);
    return { name, description, parameters: parameterSchema.schema, effects, timeoutMs, resultBytes };
  });
  const offered = declaredWorkspaces(workspaces);
  const wrong = problemWithWorkspaces(offered);
  if (wrong !== undefined) throw unreadable(`${wrong.offer}: ${wrong.what}`);
  const problem = problemWith(declared, offered);
  if (problem !== undefined) throw unreadable(`${String(problem.command)}: ${problem.what}`);
  return inOrder(declared, offered);
}

export function listOffers({ commands, workspaces }: NodeDeclaration): string[] {
  return [...commands.map(({ name }) => name), ...workspaces.map(toOfferName)];
}

function problemWith(
  commands: readonly DeclaredCommand[],
  workspaces: readonly DeclaredWorkspace[],
): { command: unknown; what: string } | undefined {
  const seen = new Set<string>();
  if (commands.length > LIMITS.commands)
    return {
      command: "",
      what: `it has ${commands.length} commands; the limit is ${LIMITS.commands}`,
    };
  for (const command of commands) {
    const what = seen.has(command.name) ? "the name is used twice" : problemOf(command);
    if (what !== undefined) return { command: command.name, what };
    seen.add(command.name);
  }
  if (canonicalJson([commands, workspaces]).length > LIMITS.declaration)
    return { command: "", what: `it is larger than ${LIMITS.declaration / 1024} KiB` };
  return undefined;
}

function problemOf(command: DeclaredCommand): string | undefined {
  const { name, description, parameters, effects, timeoutMs, resultBytes } = command;
  if (typeof name !== "string" || name.length > LIMITS.name || !NAME.test(name))
    return "its name must be words joined by dots, such as camera.snap: the first of lower-case letters, digits and -, the others of letters, digits, - and _";
  if (name.startsWith(WORKSPACE_PREFIX))
    return `names that begin with ${WORKSPACE_PREFIX} are reserved for workspaces`;
  if (typeof description !== "string" || description.trim() === "") return "its description is missing";
  if (description.length > LIMITS.description)
    return `its description is longer than ${LIMITS.description} characters`;
  if (!Array.isArray(effects) || !effects.every((effect) => EFFECTS.includes(effect)))
    return `its effects must be a list of ${EFFECTS.join(", ")}`;
  if (!isBetween(timeoutMs, LIMITS.timeoutMs)) return `its timeoutMs must be from 1 to ${LIMITS.timeoutMs}`;
  if (!isBetween(resultBytes, LIMITS.resultBytes))
    return `its resultBytes must be from 1 to ${LIMITS.resultBytes}`;
  return findSpecProblem({ name, parameters });
}

function isBetween(value: unknown, most: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most;
}

function inOrder(
  declared: readonly DeclaredCommand[],
  offered: readonly DeclaredWorkspace[],
): NodeDeclaration {
  const commands = declared
    .map((each) => Object.freeze({ ...each, effects: Object.freeze([...new Set(each.effects)].toSorted()) }))
    .toSorted(byName);
  const workspaces = offered.map((each) => Object.freeze({ ...each })).toSorted(byName);
  return Object.freeze({ commands: Object.freeze(commands), workspaces: Object.freeze(workspaces) });
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}

function invalid(name: unknown, problem: string) {
  return nodesError(
    "NODE_OPTIONS_INVALID",
    `The command ${JSON.stringify(name)} cannot be offered: ${problem}.`,
  );
}

function unreadable(problem: string) {
  return nodesError("NODE_DECLARATION_INVALID", `The node's declaration is invalid: ${problem}.`);
}

const WORKSPACE_NAME = /^[a-z][a-z0-9-]{0,39}$/;
const ISOLATION = /^[a-z][a-z0-9-]{0,31}$/;
const MAX_WORKSPACES = 32;
const MAX_DESCRIPTION_LENGTH = 1_024;

function declaredWorkspaces(given: readonly unknown[]): DeclaredWorkspace[] {
  return given.map((each) => {
    const { name, description, access, network, isolation } = (each ?? {}) as NodeWorkspace;
    return { name, description, access, network, isolation };
  });
}

function problemWithWorkspaces(
  workspaces: readonly DeclaredWorkspace[],
): { offer: string; what: string } | undefined {
  if (workspaces.length > MAX_WORKSPACES)
    return {
      offer: "",
      what: `it has ${workspaces.length} workspaces; the limit is ${MAX_WORKSPACES}`,
    };
  const seen = new Set<string>();
  for (const workspace of workspaces) {
    const what = seen.has(workspace.name) ? "the name is used twice" : problemOfWorkspace(workspace);
    if (what !== undefined) return { offer: toOfferName(workspace), what };
    seen.add(workspace.name);
  }
  return undefined;
}

function problemOfWorkspace({
  name,
  description,
  access,
  network,
  isolation,
}: DeclaredWorkspace): string | undefined {
  if (typeof name !== "string" || !WORKSPACE_NAME.test(name))
    return "its name must be a word of lower-case letters, digits and -, such as project";
  if (typeof description !== "string" || description.trim() === "") return "its description is missing";
  if (description.length > MAX_DESCRIPTION_LENGTH)
    return `its description is longer than ${MAX_DESCRIPTION_LENGTH} characters`;
  if (access !== "ro" && access !== "rw") return "its access must be ro or rw";
  if (network !== "none" && network !== "full") return "its network must be none or full";
  if (typeof isolation !== "string" || !ISOLATION.test(isolation))
    return "its isolation must be a word, such as bubblewrap";
  return undefined;
}
