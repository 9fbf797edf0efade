import { HaftError, getErrorMessage } from "@haft/core";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeFailure } from "../../contract/invocation.ts";
import type { OpenedWorkspace, WorkspaceEnd, WorkspaceOpening } from "../../contract/workspace.ts";
import { nodesError } from "../../errors.ts";
import type { HaftNode } from "../../node/create-node.ts";
import type { LinkFrame } from "../frame.ts";
import { readObject } from "../read-object.ts";
import { NodeStream, type SendToHost } from "./node-stream.ts";

/** A node's timeouts for hosts, in milliseconds. */
export interface StreamTimes {
  /** Checks of a host, whose workspace ends after twelve silent intervals. */
  readonly checkMs: number;
  /** Delay until a host reads that the workspace still opens. */
  readonly holdMs: number;
}

export const DEFAULT_STREAM_TIMES: StreamTimes = { checkMs: 5_000, holdMs: 1_500 };
const MAX_SILENT_CHECKS = 12;
/** Ends stored for hosts that missed them. */
const MAX_ENDS = 1_000;

interface Opening {
  readonly controller: AbortController;
  readonly answer: Promise<object>;
}

/** Manages a node's streams, each for its opening host only. */
export class NodeStreams {
  readonly #node: HaftNode;
  readonly #mostBytes: number;
  readonly #times: StreamTimes;
  readonly #timer: ReturnType<typeof setInterval>;
  /** Requests may be repeated. */
  readonly #opening = new Map<string, Opening>();
  readonly #open = new Map<string, NodeStream>();
  readonly #ends = new Map<string, WorkspaceEnd>();

  constructor(node: HaftNode, mostBytes: number, times: StreamTimes) {
    this.#node = node;
    this.#mostBytes = mostBytes;
    this.#times = times;
    this.#timer = setInterval(() => this.#check(), times.checkMs).unref();
  }

  /** Opens a workspace, or joins an equal request. */
  async open(host: string, { head, body }: LinkFrame, say: SendToHost): Promise<void> {
    const key = keyOf(host, head.id);
    const ended = this.#ends.get(key);
    if (ended !== undefined) return say({}, json(nodeFailure(failed(`it has ended: ${ended.why}`))));
    const opening = this.#opening.get(key) ?? this.#begin(key, host, body);
    const late = sleep(this.#times.holdMs, undefined, { ref: false });
    const answer = await Promise.race([opening.answer, late]);
    say(answer === undefined ? { running: true } : {}, answer === undefined ? NOTHING : json(answer));
  }

  take(host: string, { head, body }: LinkFrame, say: SendToHost): void {
    const key = keyOf(host, head.id);
    const stream = this.#open.get(key);
    if (stream !== undefined) return stream.take(head, body, say);
    const opening = this.#opening.get(key);
    if (opening !== undefined) {
      if (head.close !== true) return;
      opening.controller.abort(nodesError("ABORTED", "The host cancelled the opening."));
      void opening.answer.then(() => this.take(host, { head, body }, say));
      return;
    }
    const end = this.#ends.get(key) ?? { why: "the node no longer has it" };
    // Late opening messages need it.
    this.#remember(key, end);
    say({ gone: true }, json(end));
  }

  endHost(host: string): Promise<void> {
    return this.#endAll((key) => key.startsWith(`${host} `), "the node no longer knows its host");
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#endAll(() => true, "the node ended");
  }

  #begin(key: string, host: string, body: Buffer): Opening {
    const controller = new AbortController();
    const answer = this.#opened(key, host, body, controller.signal);
    const opening = { controller, answer };
    this.#opening.set(key, opening);
    return opening;
  }

  async #opened(key: string, host: string, body: Buffer, signal: AbortSignal): Promise<object> {
    let opened: OpenedWorkspace;
    try {
      opened = await this.#node.open(host, readOpening(body), signal);
    } catch (thrown) {
      this.#remember(key, { why: `it was not opened: ${getErrorMessage(thrown)}` });
      return nodeFailure(HaftError.is(thrown) ? thrown : failed(getErrorMessage(thrown)));
    }
    const stream = new NodeStream(opened, this.#mostBytes, (end) => {
      this.#open.delete(key);
      this.#remember(key, end);
    });
    this.#open.set(key, stream);
    const { mounts, runner, inherit } = opened;
    return { ok: true, opened: { mounts, runner, inherit } };
  }

  #check(): void {
    for (const stream of this.#open.values()) {
      if (++stream.silentChecks < MAX_SILENT_CHECKS) continue;
      const seconds = (MAX_SILENT_CHECKS * this.#times.checkMs) / 1_000;
      void stream.end(`its host sent no message for ${seconds} seconds`);
    }
  }

  async #endAll(which: (key: string) => boolean, why: string): Promise<void> {
    for (const [key, { controller }] of this.#opening)
      if (which(key)) controller.abort(nodesError("ABORTED", `The opening was cancelled: ${why}.`));
    const opening = [...this.#opening].filter(([key]) => which(key)).map(([, { answer }]) => answer);
    await Promise.all(opening);
    await Promise.all([...this.#open].filter(([key]) => which(key)).map(([, stream]) => stream.end(why)));
  }

  #remember(key: string, end: WorkspaceEnd): void {
    this.#opening.delete(key);
    this.#ends.set(key, end);
    if (this.#ends.size > MAX_ENDS) this.#ends.delete(this.#ends.keys().next().value!);
  }
}

const NOTHING = Buffer.alloc(0);

function keyOf(host: string, id: string): string {
  return `${host} ${id}`;
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function failed(why: string): HaftError {
  return nodesError("NODE_FAILED", why, { receipt: "none" });
}

/** The node checks permissions. */
function readOpening(body: Buffer): WorkspaceOpening {
  const { workspace, declared, access, network, limits } = readObject(body) ?? {};
  const isLimit = (value: unknown) => typeof value === "number" && value >= 0;
  const given = typeof limits === "object" && limits !== null ? Object.entries(limits).slice(0, 20) : [];
  return {
    workspace: String(workspace),
    declared: String(declared),
    access: access === "none" || access === "ro" ? access : "rw",
    network: network === "full" ? "full" : "none",
    limits: Object.fromEntries(given.filter(([, value]) => isLimit(value)) as [string, number][]),
  };
}
