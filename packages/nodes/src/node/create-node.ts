import { HaftError, getErrorMessage } from "@haft/core";
import { validateArguments, requireKnownOptions } from "@haft/core/internal";
import { attempt, type ProcessUsage, readTreeUsage } from "@haft/workspace/internal/system";
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

/** Calls that one node runs at once, of all its commands. */
const AT_ONCE = 64;
const AT_ONCE_OF_ONE = 8;

/** Options of {@link createNode}. */
export interface NodeOptions {
  /** Its identity: what hosts know it by. Letters, digits, `-` and `_`, at most 64. */
  readonly id: string;
  /** For people; at most 64 characters. The id by default. */
  readonly name?: string;
  /** Commands that it offers. */
  readonly commands: readonly AnyNodeCommand[];
  /** Places on it that hosts may work in. None by default. */
  readonly workspaces?: readonly NodeWorkspace[];
}

/** A node: commands that hosts may call, each call once. How a host comes to it is the transport's. */
export interface HaftNode {
  /** Identity. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** One for each start of it: what ran before is not known to it. */
  readonly boot: string;
  /** What it offers. */
  readonly declaration: NodeDeclaration;
  /**
   * Runs an invocation, or answers it again where the id is known. Never rejects.
   *
   * Remembered are the answers of the last 1,000 invocations, 32 MiB of them at most, and of 100,000 more that they ran.
   */
  invoke(invocation: Invocation): Promise<Answer>;
  /** What became of an invocation. Of one that never came it is an error without effect, and it will not run any more. */
  recall(host: string, id: string): Promise<Answer | "running">;
  /** Takes an invocation back, if it still runs. */
  abort(host: string, id: string): void;
  /**
   * Opens one of its workspaces for a host: at most 16 for each, 64 in all.
   *
   * @throws HaftError `NODE_NOT_OFFERED`, `NODE_CHANGED`, `NODE_BUSY`, or why not
   */
  open(host: string, opening: WorkspaceOpening, signal: AbortSignal): Promise<OpenedWorkspace>;
  /** What it uses of what it has, its program with all that this has started; measured once in a second at most. Never rejects. */
  use(): Promise<NodeUsage>;
  /** Takes no more, ends what runs, and waits for it. */
  close(): Promise<void>;
}

/**
 * Makes a node of its commands and workspaces.
 *
 * @throws HaftError `NODE_OPTIONS_INVALID`
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
    throw nodesError("NODE_OPTIONS_INVALID", "The name of a node has to have 1 to 64 characters.");
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
    const message = "The invocation never came to the node, and will not be begun any more.";
    return await this.#refuse(key, nodesError("NODE_NOT_DELIVERED", message));
  }

  abort(host: string, id: string): void {
    this.#controllers.get(keyOf(host, id))?.abort(nodesError("ABORTED", "The host took the call back."));
  }

  async open(host: string, opening: WorkspaceOpening, signal: AbortSignal) {
    if (this.#closed) throw nodesError("NODE_BUSY", `The node ${this.name} is about to end.`);
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
    if (this.#closed) return nodesError("NODE_BUSY", `The node ${this.name} is about to end.`);
    if (offered === undefined)
      return nodesError("NODE_NOT_OFFERED", `The node ${this.name} does not offer ${command}.`);
    if (offered.digest !== declared)
      return nodesError("NODE_CHANGED", `${command} is not on the node what the host approved.`);
    if (!(timeLeftMs > 0)) return tooLate(offered.declared);
    const most = offered.command.concurrency ?? AT_ONCE_OF_ONE;
    if (offered.running < most && this.#memory.running < AT_ONCE) return undefined;
    return nodesError(
      "NODE_BUSY",
      `The node ${this.name} runs as many calls of ${command} as it may at once.`,
    );
  }

  /** Kept like any other answer: what was refused once is not begun when it comes again. */
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
    nodesError("NODE_OUTCOME_UNKNOWN", "The invocation ran; its answer is not kept any more."),
  );
}

function tooLate({ name }: DeclaredCommand): HaftError {
  return nodesError("NODE_NOT_DELIVERED", `${name} had no time left when it came to the node.`, {
    fix: "Call again, with more time.",
  });
}

/** Whatever was thrown before the command was entered. */
function notBegun(thrown: unknown): HaftError {
  if (!HaftError.is(thrown))
    return nodesError("NODE_FAILED", `The command could not be begun: ${getErrorMessage(thrown)}`, {
      receipt: "none",
    });
  const { code, message, category, fix, details } = thrown;
  const known = { category, receipt: "none", ...(fix !== undefined && { fix }) } as const;
  return new HaftError(code, message, details === undefined ? known : { ...known, details });
}

/** Milliseconds between two looks at the time that processors have spent. */
const SAMPLE_MS = 200;
/** For so long one measurement is everybody's: hosts may ask as often as they like. */
const SHARED_MS = 1_000;

let shared: { measured: Promise<Measured>; until: number } | undefined;

type Measured = Omit<NodeUsage, "calls" | "mostCalls" | "workspaces" | "mostWorkspaces">;

/** What this program, all that it has started, and this machine use. Never rejects. */
function measureUse(): Promise<Measured> {
  const now = performance.now();
  if (shared === undefined || now >= shared.until)
    shared = { measured: measure(), until: now + SAMPLE_MS + SHARED_MS };
  return shared.measured;
}

async function measure(): Promise<Measured> {
  const [before, began] = [ownUse(), performance.now()];
  await sleep(SAMPLE_MS, undefined, { ref: false });
  const { cpuMs, memoryBytes, tasks } = ownUse();
  const spent = (cpuMs ?? Number.NaN) - (before.cpuMs ?? Number.NaN);
  const [load] = loadavg();
  return {
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(tasks !== undefined && { tasks }),
    // Less than before: what ended took its time along.
    ...(spent >= 0 && { cpus: rounded(spent / (performance.now() - began)) }),
    machineMemoryBytes: machineMemory(),
    // In a container, what is left of its own limit; a moment later it may be more than there is.
    machineFreeBytes: Math.max(0, attempt(() => process.availableMemory()) ?? freemem()),
    machineCpus: availableParallelism(),
    ...(load !== undefined && { machineLoad: rounded(load) }),
  };
}

function ownUse(): ProcessUsage {
  const tree = readTreeUsage(process.pid);
  if (tree.cpuMs !== undefined) return tree;
  // Where there is no `/proc`: of this program alone.
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1_000, memoryBytes: process.memoryUsage.rss() };
}

/** In a container, its own limit counts. */
function machineMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem();
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
