import { HaftError, getErrorMessage } from "@haft/core";
import { validateArguments, requireKnownOptions } from "@haft/core/internal";
import { attempt, type ProcessUsage, readTreeUsage } from "@haft/system";
import { randomUUID } from "node:crypto";
import { availableParallelism, freemem, loadavg, totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { computeDigest } from "../contract/canonical-json.ts";
import type { AnyNodeCommand } from "../contract/command.ts";
import { createDeclaration, type DeclaredCommand, type NodeDeclaration } from "../contract/declaration.ts";
import { type Answer, nodeFailure, type Invocation } from "../contract/invocation.ts";
import type { NodeUsage } from "../contract/usage.ts";
import type { NodeWorkspace, OpenedWorkspace, WorkspaceOpening } from "../contract/workspace.ts";
import { nodesError } from "../errors.ts";
import { AnswerCache } from "./answer-cache.ts";
import { MAX_OPEN_WORKSPACES, OfferedWorkspaces } from "./offered-workspaces.ts";
import { type OfferedCommand, runNodeCommand } from "./run-command.ts";

const AT_ONCE = 64;
const AT_ONCE_OF_ONE = 8;

/**
 * Configures {@link createNode}.
 *
 * @example
 * ```ts
 * import { openIdentity, type AnyNodeCommand, type NodeOptions } from "@haft/nodes";
 * declare const blink: AnyNodeCommand;
 * const options: NodeOptions = { id: openIdentity("/var/lib/node").id, name: "Workshop", commands: [blink] };
 * ```
 */
export interface NodeOptions {
  /** Identifies the node for hosts: letters, digits, `-` and `_`, at most 64. */
  readonly id: string;
  /** Names the node for people; at most 64 characters. Default: the id. */
  readonly name?: string;
  /** Contains the commands for hosts. */
  readonly commands: readonly AnyNodeCommand[];
  /** Contains the workspaces for hosts. Default: none. */
  readonly workspaces?: readonly NodeWorkspace[];
}

/**
 * Offers commands and workspaces to hosts and runs each call once. A transport connects hosts to it.
 *
 * @example
 * ```ts
 * import type { HaftNode } from "@haft/nodes";
 * declare const node: HaftNode;
 * const { calls = 0, workspaces = 0 } = await node.use();
 * console.log(`${node.name}: ${calls} calls, ${workspaces} workspaces`);
 * await node.close();
 * ```
 */
export interface HaftNode {
  /** Identifies the node. */
  readonly id: string;
  /** Names the node for people. */
  readonly name: string;
  /** Identifies this start of the node; earlier starts are unknown to it. */
  readonly boot: string;
  /** Contains the node's declaration. */
  readonly declaration: NodeDeclaration;
  /**
   * Runs an invocation, or returns a known id's stored answer. Never rejects.
   *
   * The node stores the last 1,000 answers, at most 32 MiB, and 100,000 more ids.
   */
  invoke(invocation: Invocation): Promise<Answer>;
  /** Returns an invocation's state; an unknown one is an error without effect and never runs later. */
  recall(host: string, id: string): Promise<Answer | "running">;
  /** Aborts an invocation, if running. */
  abort(host: string, id: string): void;
  /**
   * Opens a workspace for a host: at most 16 for each, 64 in total.
   *
   * @throws HaftError `NODE_NOT_OFFERED`, `NODE_CHANGED`, `NODE_BUSY`, or the reason
   */
  open(host: string, opening: WorkspaceOpening, signal: AbortSignal): Promise<OpenedWorkspace>;
  /** Returns the resource usage of the node's program and its descendants, measured at most once per second. Never rejects. */
  use(): Promise<NodeUsage>;
  /** Refuses new calls, and ends running calls before it resolves. */
  close(): Promise<void>;
}

/**
 * Creates a node with commands and workspaces.
 *
 * @throws HaftError `NODE_OPTIONS_INVALID`
 *
 * @example
 * ```ts run
 * import { text } from "@haft/core";
 * import { createNode, defineNodeCommand } from "@haft/nodes";
 * import { Type } from "@haft/plugin-sdk";
 * const now = defineNodeCommand({
 *   name: "clock.now",
 *   description: "The time of the node.",
 *   parameters: Type.Object({}),
 *   effects: ["read"],
 *   run: () => ({ content: [text(new Date().toISOString())], details: {} }),
 * });
 * const node = createNode({ id: "lab", commands: [now] });
 * node.declaration.commands.map(({ name }) => name); // => ["clock.now"]
 * ```
 */
export function createNode(options: NodeOptions): HaftNode {
  requireKnownOptions<NodeOptions>("createNode", options, {
    id: true,
    name: true,
    commands: true,
    workspaces: true,
  });
  const { id, name = id, commands, workspaces = [] } = options;
  if (typeof id !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(id))
    throw nodesError("NODE_OPTIONS_INVALID", `${JSON.stringify(id)} cannot be the id of a node.`);
  if (typeof name !== "string" || name.trim() === "" || name.length > 64)
    throw nodesError("NODE_OPTIONS_INVALID", "The name of a node must have 1 to 64 characters.");
  return new Node(id, name, commands, workspaces);
}

class Node implements HaftNode {
  readonly id: string;
  readonly name: string;
  readonly boot = randomUUID();
  readonly declaration: NodeDeclaration;
  readonly #offered = new Map<string, OfferedCommand>();
  readonly #memory = new AnswerCache();
  readonly #controllers = new Map<string, AbortController>();
  readonly #workspaces: OfferedWorkspaces;
  #closed = false;

  constructor(
    id: string,
    name: string,
    commands: readonly AnyNodeCommand[],
    workspaces: readonly NodeWorkspace[],
  ) {
    this.id = id;
    this.name = name;
    this.declaration = createDeclaration(commands, workspaces);
    this.#workspaces = new OfferedWorkspaces(name, workspaces, this.declaration.workspaces);
    for (const declared of this.declaration.commands) {
      const command = commands.find((each) => each.name === declared.name)!;
      this.#offered.set(declared.name, { command, declared, digest: computeDigest(declared), running: 0 });
    }
  }

  invoke(invocation: Invocation): Promise<Answer> {
    const key = keyOf(invocation.host, invocation.id);
    const known = this.#memory.find(key);
    if (known !== undefined) return answered(known);
    const offered = this.#offered.get(invocation.command);
    const refused = this.#refusal(invocation, offered);
    if (refused !== undefined) return this.#refuse(key, refused);
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#memory.begin(key, promise);
    const settle = (answer: Answer, bytes: number) => {
      this.#controllers.delete(key);
      this.#memory.end(key, answer, bytes);
      resolve(answer);
    };
    void this.#run(offered!, invocation, key).then(
      ({ answer, bytes }) => settle(answer, bytes),
      (thrown: unknown) => settle(nodeFailure(notBegun(thrown)), 200),
    );
    return promise;
  }

  async #run(offered: OfferedCommand, { host, id, params, timeLeftMs }: Invocation, key: string) {
    const began = performance.now();
    const controller = new AbortController();
    this.#controllers.set(key, controller);
    offered.running += 1;
    try {
      const ready = validateArguments(offered.command, params, () => controller.signal);
      const prepared = ready instanceof Promise ? await ready : ready;
      if (!prepared.ok) throw prepared.error;
      const left = timeLeftMs - (performance.now() - began);
      controller.signal.throwIfAborted();
      if (left <= 0) throw tooLate(offered.declared);
      const limitMs = Math.min(left, offered.declared.timeoutMs);
      return await runNodeCommand(
        offered,
        prepared.args,
        { invocationId: id, hostId: host },
        controller,
        limitMs,
      );
    } finally {
      offered.running -= 1;
    }
  }

  async recall(host: string, id: string): Promise<Answer | "running"> {
    const key = keyOf(host, id);
    if (this.#controllers.has(key)) return "running";
    const known = this.#memory.find(key);
    if (known !== undefined) return await answered(known);
    const message = "The invocation never reached the node and will not run.";
    return await this.#refuse(key, nodesError("NODE_NOT_DELIVERED", message));
  }

  abort(host: string, id: string): void {
    this.#controllers.get(keyOf(host, id))?.abort(nodesError("ABORTED", "The host cancelled the call."));
  }

  async open(host: string, opening: WorkspaceOpening, signal: AbortSignal) {
    if (this.#closed) throw nodesError("NODE_BUSY", `The node ${this.name} is closing.`);
    return await this.#workspaces.open(host, opening, signal);
  }

  async use(): Promise<NodeUsage> {
    const measured = await measureUse();
    const [calls, workspaces] = [this.#memory.running, this.#workspaces.count];
    return { calls, mostCalls: AT_ONCE, workspaces, mostWorkspaces: MAX_OPEN_WORKSPACES, ...measured };
  }

  async close(): Promise<void> {
    this.#closed = true;
    const ending = nodesError("ABORTED", "The node ended while the command ran.");
    const running = [...this.#controllers].map(async ([key, controller]) => {
      controller.abort(ending);
      const known = this.#memory.find(key);
      if (known !== undefined) await answered(known);
    });
    await Promise.all([...running, this.#workspaces.close()]);
  }

  #refusal({ command, declared, timeLeftMs }: Invocation, offered: OfferedCommand | undefined) {
    if (this.#closed) return nodesError("NODE_BUSY", `The node ${this.name} is closing.`);
    if (offered === undefined)
      return nodesError("NODE_NOT_OFFERED", `The node ${this.name} does not offer ${command}.`);
    if (offered.digest !== declared)
      return nodesError("NODE_CHANGED", `${command} on the node differs from the host's approval.`);
    if (!(timeLeftMs > 0)) return tooLate(offered.declared);
    const most = offered.command.concurrency ?? AT_ONCE_OF_ONE;
    if (offered.running < most && this.#memory.running < AT_ONCE) return undefined;
    return nodesError(
      "NODE_BUSY",
      `The node ${this.name} already runs the maximum number of calls of ${command}.`,
    );
  }

  /** A refused call must never run later. */
  #refuse(key: string, error: HaftError): Promise<Answer> {
    const answer = nodeFailure(error);
    this.#memory.end(key, answer, 200);
    return Promise.resolve(answer);
  }
}

function keyOf(host: string, id: string): string {
  return `${host} ${id}`;
}

async function answered(known: { answer: Promise<Answer> } | "gone"): Promise<Answer> {
  if (known !== "gone") return await known.answer;
  return nodeFailure(
    nodesError("NODE_OUTCOME_UNKNOWN", "The invocation ran; its answer is no longer stored."),
  );
}

function tooLate({ name }: DeclaredCommand): HaftError {
  return nodesError("NODE_NOT_DELIVERED", `${name} had no time left when it reached the node.`, {
    fix: "Call again with a larger timeout.",
  });
}

function notBegun(thrown: unknown): HaftError {
  if (!HaftError.is(thrown))
    return nodesError("NODE_FAILED", `The command could not be started: ${getErrorMessage(thrown)}`, {
      receipt: "none",
    });
  const { code, message, category, fix, details } = thrown;
  const known = { category, receipt: "none", ...(fix !== undefined && { fix }) } as const;
  return new HaftError(code, message, details === undefined ? known : { ...known, details });
}

const SAMPLE_MS = 200;
/** Hosts share a measurement for this time. */
const SHARED_MS = 1_000;

let shared: { measured: Promise<Measured>; until: number } | undefined;

type Measured = Omit<NodeUsage, "calls" | "mostCalls" | "workspaces" | "mostWorkspaces">;

function measureUse(): Promise<Measured> {
  const now = performance.now();
  if (shared === undefined || now >= shared.until)
    shared = { measured: measure(), until: now + SAMPLE_MS + SHARED_MS };
  return shared.measured;
}

async function measure(): Promise<Measured> {
  const [before, began] = [processUse(), performance.now()];
  await sleep(SAMPLE_MS, undefined, { ref: false });
  const { cpuMs, memoryBytes, tasks } = processUse();
  const spent = (cpuMs ?? Number.NaN) - (before.cpuMs ?? Number.NaN);
  const [load] = loadavg();
  return {
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(tasks !== undefined && { tasks }),
    // An ended process's time is missing.
    ...(spent >= 0 && { cpus: rounded(spent / (performance.now() - began)) }),
    machineMemoryBytes: machineMemory(),
    // A container's rest may briefly be negative.
    machineFreeBytes: Math.max(0, attempt(() => process.availableMemory()) ?? freemem()),
    machineCpus: availableParallelism(),
    ...(load !== undefined && { machineLoad: rounded(load) }),
  };
}

function processUse(): ProcessUsage {
  const tree = readTreeUsage(process.pid);
  if (tree.cpuMs !== undefined) return tree;
  // Without `/proc`, this program only.
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1_000, memoryBytes: process.memoryUsage.rss() };
}

function machineMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem();
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
