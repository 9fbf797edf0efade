import { withTimeout } from "@haft/utils";
import type { OpenedWorkspace, WorkspaceEnd } from "../../contract/workspace.ts";
import { nodesError } from "../../errors.ts";
import type { LinkFrame } from "../frame.ts";
import { FlowControlledStream } from "./flow-controlled-stream.ts";
import { toStreamSegment, readEnd } from "./stream-frames.ts";
import type { StreamLink, StreamLinkOptions } from "./stream-link.ts";

/** Silent checks until a node is lost, counted because a suspended host receives nothing. */
const MAX_MISSES = 10;

export type OpenedStream = Pick<OpenedWorkspace, "mounts" | "runner" | "inherit">;

/** The host's end of a stream: grants bytes, checks the node and changes links. */
export class HostStream implements OpenedWorkspace {
  readonly stream: FlowControlledStream;
  readonly ended: Promise<WorkspaceEnd>;
  readonly mounts: OpenedStream["mounts"];
  readonly runner?: "program" | "shell";
  readonly inherit?: readonly string[];
  readonly #id: string;
  readonly #options: StreamLinkOptions;
  readonly #end: (end: WorkspaceEnd) => void;
  readonly #confirmed = Promise.withResolvers<void>();
  #isConfirmed = false;
  readonly #timer: ReturnType<typeof setInterval>;
  #way: StreamLink;
  #detach: () => void = () => undefined;
  #isDetached = false;
  #isRenewing = false;
  #hasReceived = true;
  #misses = 0;
  #over: WorkspaceEnd | undefined;
  #closing: Promise<void> | undefined;

  constructor(way: StreamLink, id: string, opened: OpenedStream, options: StreamLinkOptions) {
    this.mounts = opened.mounts;
    if (opened.runner !== undefined) this.runner = opened.runner;
    if (opened.inherit !== undefined) this.inherit = opened.inherit;
    this.#id = id;
    this.#options = options;
    this.#way = way;
    const { promise, resolve } = Promise.withResolvers<WorkspaceEnd>();
    this.ended = promise;
    this.#end = resolve;
    const send: ConstructorParameters<typeof FlowControlledStream>[0] = (piece, body) =>
      this.#way.send({ op: "stream", id, left: 0, ...piece }, body);
    // The end arrives separately with a reason.
    this.stream = new FlowControlledStream(send, way.maxBytes, () => undefined);
    this.#attach(way);
    this.#timer = setInterval(() => this.#check(), options.times.checkMs).unref();
    this.stream.acknowledge();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const { checkMs, stopMs } = this.#options.times;
    this.stream.destroy();
    const until = performance.now() + stopMs;
    while (!this.#isConfirmed && performance.now() < until) {
      if (this.#isDetached) await this.#renew();
      this.#sayClose();
      await withTimeout(this.#confirmed.promise, Math.min(until - performance.now(), checkMs));
    }
    this.#finish(CLOSED);
    this.#detach();
    this.#isDetached = true;
    if (this.#isConfirmed) return;
    this.#closing = undefined;
    throw nodesError("NODE_NOT_ENDED", "The node did not confirm the end of its workspace.");
  }

  #sayClose(): void {
    try {
      this.#way.send({ op: "stream", id: this.#id, left: 0, close: true }, NOTHING);
    } catch {
      // Repeated later.
    }
  }

  #attach(way: StreamLink): void {
    this.#detach();
    this.#isDetached = false;
    this.#way = way;
    this.#detach = way.attach(this.#id, {
      seq: 0,
      take: (frame) => this.#take(frame),
      unknown: () => void this.#renew(),
    });
  }

  #take({ head, body }: LinkFrame): void {
    this.#hasReceived = true;
    if (head.gone === true) {
      this.#isConfirmed = true;
      this.#confirmed.resolve();
      this.#finish(this.#closing === undefined ? readEnd(body) : CLOSED);
      this.#detach();
      return;
    }
    const wrong = this.stream.receive(toStreamSegment(head), body);
    // A faulty node can only end its stream.
    if (wrong === undefined) return;
    this.#sayClose();
    this.#finish({ why: `the node's messages contradict each other: ${wrong}` });
  }

  #check(): void {
    if (this.#hasReceived) this.#misses = 0;
    else if (++this.#misses >= MAX_MISSES) {
      this.#sayClose();
      const seconds = (MAX_MISSES * this.#options.times.checkMs) / 1_000;
      return this.#finish({ why: `the node sent no message for ${seconds} seconds` });
    } else this.stream.acknowledge(true);
    this.#hasReceived = false;
  }

  /** Asks over a new link whether the restarted or reconnected node has the stream. */
  async #renew(): Promise<void> {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    try {
      this.#attach(await this.#options.reconnect());
      if (this.#closing === undefined) this.stream.acknowledge(true);
      else this.#sayClose();
    } catch {
      // The next check repeats this.
    } finally {
      this.#isRenewing = false;
    }
  }

  #finish(end: WorkspaceEnd): void {
    if (this.#over !== undefined) return;
    this.#over = end;
    clearInterval(this.#timer);
    this.#end(end);
    if (!this.stream.destroyed) this.stream.destroy(new Error(end.why));
  }
}

const NOTHING = Buffer.alloc(0);
const CLOSED: WorkspaceEnd = { why: "it was closed" };
