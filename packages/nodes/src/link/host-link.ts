import { withTimeout } from "@haft/utils";
import type { NodeDeclaration } from "../contract/declaration.ts";
import type { Answer, Invocation } from "../contract/invocation.ts";
import type { NodeLink } from "../contract/transport.ts";
import { type NodeUsage, readNodeUsage } from "../contract/usage.ts";
import type { OpenedWorkspace, WorkspaceOpening } from "../contract/workspace.ts";
import { nodesError } from "../errors.ts";
import { FRAME_OVERHEAD, type LinkFrame, type FrameHead, readLinkId, openFrame, sealFrame } from "./frame.ts";
import { type AgreedLink, DOMAINS, type LinkCounts } from "./key-agreement.ts";
import type { LinkTimes } from "./link-times.ts";
import { type BusMessage, type MessageBus, subjects } from "./message-bus.ts";
import { isSigned, verifyMessage } from "./signed-message.ts";
import { openHostStream } from "./streams/open-host-stream.ts";
import type { StreamLink, StreamReply, StreamReceiver } from "./streams/stream-link.ts";

const MAX_MISSES = 3;

interface Pending {
  readonly id: string;
  readonly settle: (reply: StreamReply) => void;
  /** The server reported no subscriber. */
  readonly hint: () => void;
}

export class HostLink implements NodeLink, StreamLink {
  readonly declaration: NodeDeclaration;
  readonly #bus: MessageBus;
  readonly #agreed: AgreedLink;
  readonly #counts: LinkCounts;
  readonly #times: LinkTimes;
  readonly #subject: string;
  readonly #inbox: string;
  readonly #unsubscribe: () => void;
  readonly #pending = new Map<number, Pending>();
  readonly #streams = new Map<string, StreamReceiver>();
  readonly #another: () => Promise<StreamLink>;
  #seq = 0;
  #receivedAt = performance.now();
  #closed = false;
  /** Only earlier requests may still be answered. */
  #stale = false;

  /** @param another opens another link to the node for streams that outlive this link */
  constructor(
    bus: MessageBus,
    agreed: AgreedLink,
    counts: LinkCounts,
    times: LinkTimes,
    another: () => Promise<StreamLink>,
  ) {
    this.#times = times;
    this.#another = another;
    this.#bus = bus;
    this.#agreed = agreed;
    this.#counts = counts;
    this.declaration = agreed.declaration;
    this.#subject = subjects.node(bus.prefix, agreed.nodeId, "link");
    this.#inbox = subjects.inbox(bus.prefix, agreed.hostId, agreed.link.toString("hex"));
    this.#unsubscribe = bus.subscribe(`${this.#inbox}.*`, (message) => this.#take(message));
  }

  get closed(): boolean {
    return this.#closed || this.#stale;
  }

  async answers(limitMs: number): Promise<boolean> {
    if (this.closed || !this.#bus.connected) return false;
    return performance.now() - this.#receivedAt < this.#times.aliveMs || (await this.confirm(limitMs));
  }

  async confirm(limitMs: number): Promise<boolean> {
    const reply = await this.ask({ op: "ping", id: "", left: limitMs }, limitMs);
    if (reply === "nobody" || reply === "unknown") this.#stale = true;
    return typeof reply === "object";
  }

  async use(limitMs: number): Promise<NodeUsage | undefined> {
    const reply = await this.ask({ op: "ping", id: "", left: limitMs, use: true }, limitMs);
    return typeof reply === "object" ? readNodeUsage(reply.body) : undefined;
  }

  async invoke(
    invocation: Invocation,
    { signal, mostBytes }: { signal: AbortSignal; mostBytes: number },
  ): Promise<Answer> {
    const { id, command, declared, params, timeLeftMs: left } = invocation;
    const body = Buffer.from(JSON.stringify({ command, declared, params }));
    const most = this.#bus.maxBytes - FRAME_OVERHEAD;
    if (body.length > most)
      throw nodesError(
        "ARGUMENTS_TOO_LARGE",
        `The parameters have ${body.length} bytes; the limit is ${most}.`,
      );
    const { transitMs, stopMs } = this.#times;
    const ended = Promise.withResolvers<StreamReply>();
    const nudged = Promise.withResolvers<StreamReply>();
    // Throws only if the message was certainly unsent.
    const nudge = () => nudged.resolve("nobody");
    const seq = this.#send({ op: "invoke", id, left }, body, { id, settle: ended.resolve, hint: nudge });
    let stopBy: number | undefined;
    const abort = () => {
      stopBy ??= performance.now() + stopMs;
      try {
        this.#send({ op: "abort", id, left: stopMs }, NOTHING);
      } catch {
        // Repeated when the connection is back.
      }
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const deadline = performance.now() + left + transitMs;
    try {
      const frame = await this.#wait(id, ended.promise, nudged.promise, () => {
        if (signal.aborted) abort();
        return Math.min(deadline, stopBy ?? Infinity);
      });
      return await wholeAnswer(this, frame, { id, mostBytes, pollMs: this.#times.pollMs });
    } finally {
      signal.removeEventListener("abort", abort);
      this.#done(seq);
    }
  }

  open(
    opening: WorkspaceOpening,
    options: { signal: AbortSignal; limitMs: number },
  ): Promise<OpenedWorkspace> {
    return openHostStream(this, { ...options, opening, times: this.#times, reconnect: this.#another });
  }

  get maxBytes(): number {
    return this.#bus.maxBytes - FRAME_OVERHEAD;
  }

  attach(id: string, taker: StreamReceiver): () => void {
    this.#streams.set(id, taker);
    return () => {
      this.#streams.delete(id);
      this.#endIfIdle();
    };
  }

  send(head: Omit<FrameHead, "seq">, body: Uint8Array): void {
    this.#send(head, body);
  }

  close(): void {
    this.#stale = true;
    this.#endIfIdle();
  }

  #done(seq: number): void {
    this.#pending.delete(seq);
    this.#endIfIdle();
  }

  #endIfIdle(): void {
    if (!this.#stale || this.#closed || this.#pending.size + this.#streams.size > 0) return;
    this.#closed = true;
    this.#unsubscribe();
  }

  /** Waits for the answer until it is too uncertain. */
  async #wait(
    id: string,
    answer: Promise<StreamReply>,
    nudge: Promise<StreamReply>,
    until: () => number,
  ): Promise<LinkFrame> {
    const { pollMs, retryMs, transitMs } = this.#times;
    let misses = 0;
    let pauseMs = pollMs;
    // Raced once: a settled promise would skip later pauses, and an unconnected node cannot be queried.
    let first = Promise.race([answer, nudge]);
    for (;;) {
      const early = await within(first, Math.min(pauseMs, until() - performance.now()));
      if (early === "nobody") first = answer;
      if (typeof early === "object") return early;
      if (early === "unknown") throw unknown("the node has restarted since");
      const isOver = performance.now() >= until();
      // The unauthenticated report may be wrong and answers may be lost, so the node is queried.
      const reply = await this.#recall(id, isOver ? transitMs / 2 : pollMs);
      if (typeof reply === "object" && reply.head.running === undefined) return reply;
      if (reply === "unknown") throw unknown("the node has restarted since");
      if (isOver) throw unknown("no answer arrived in time");
      misses = typeof reply === "object" ? 0 : misses + (this.#bus.connected ? 1 : 0);
      if (misses === MAX_MISSES) {
        this.#stale = true;
        throw unknown("the node no longer answers");
      }
      pauseMs = reply === "nobody" ? retryMs : pollMs;
    }
  }

  async #recall(id: string, limitMs: number): Promise<StreamReply> {
    if (!this.#bus.connected) return "late";
    return await this.ask({ op: "recall", id, left: limitMs }, limitMs);
  }

  ask(head: Omit<FrameHead, "seq">, limitMs: number, body: Uint8Array = NOTHING): Promise<StreamReply> {
    const { promise, resolve } = Promise.withResolvers<StreamReply>();
    let seq: number;
    try {
      // The node itself may still answer.
      const hint = () => setTimeout(resolve, this.#times.retryMs / 2, "nobody");
      seq = this.#send(head, body, { id: head.id, settle: resolve, hint });
    } catch {
      return Promise.resolve("late");
    }
    return within(promise, limitMs).finally(() => this.#done(seq));
  }

  #send(head: Omit<FrameHead, "seq">, body: Uint8Array, pending?: Pending): number {
    if (this.#closed) throw nodesError("NODE_UNREACHABLE", "The link to the node was closed.");
    const seq = ++this.#seq;
    const { link, keys } = this.#agreed;
    const frame = sealFrame(keys.host, link, this.#subject, "host", { ...head, seq }, body);
    const to = head.op === "stream" ? STREAM + head.id : seq;
    this.#bus.publish(this.#subject, frame, `${this.#inbox}.${to}`);
    if (pending !== undefined) this.#pending.set(seq, pending);
    return seq;
  }

  #take(message: BusMessage): void {
    const { subject, bytes, noResponders } = message;
    const word = subject.slice(this.#inbox.length + 1);
    if (word.startsWith(STREAM)) return this.#takeStream(word.slice(STREAM.length), message);
    const seq = Number(word);
    const pending = this.#pending.get(seq);
    if (pending === undefined) return;
    if (noResponders === true) return pending.hint();
    if (isSigned(bytes)) return this.#takeSigned(bytes, () => pending.settle("unknown"));
    const frame = this.#opened(message, pending.id);
    if (frame === undefined || frame.head.re !== seq) {
      this.#counts.forged += 1;
      return;
    }
    this.#receivedAt = performance.now();
    pending.settle(frame);
  }

  #takeStream(id: string, message: BusMessage): void {
    const taker = this.#streams.get(id);
    if (taker === undefined || message.noResponders === true) return;
    if (isSigned(message.bytes)) return this.#takeSigned(message.bytes, taker.unknown);
    const frame = this.#opened(message, id);
    if (frame === undefined) this.#counts.forged += 1;
    else if (frame.head.seq <= taker.seq) this.#counts.replayed += 1;
    else {
      taker.seq = frame.head.seq;
      this.#receivedAt = performance.now();
      taker.take(frame);
    }
  }

  #opened({ subject, bytes }: BusMessage, id: string): LinkFrame | undefined {
    const { link, keys } = this.#agreed;
    if (readLinkId(bytes) !== link.toString("hex")) return undefined;
    const frame = openFrame(keys.node, bytes, subject, "node");
    return frame?.head.op === "answer" && frame.head.id === id ? frame : undefined;
  }

  /** The node restarted or dropped an idle link. */
  #takeSigned(bytes: Uint8Array, report: () => void): void {
    const { nodeId, link } = this.#agreed;
    if (verifyMessage(nodeId, bytes, DOMAINS.unknown, link) === undefined) {
      this.#counts.forged += 1;
      return;
    }
    this.#stale = true;
    report();
  }
}

const NOTHING = Buffer.alloc(0);
/** Prefix of a stream's subject word. */
const STREAM = "s-";

function unknown(why: string) {
  return nodesError("NODE_OUTCOME_UNKNOWN", `The call was sent, but ${why}.`);
}

async function within(reply: Promise<StreamReply>, limitMs: number): Promise<StreamReply> {
  return (await withTimeout(reply, Math.max(0, limitMs))) ?? "late";
}

const MAX_LOST = 3;
/** Bytes of a piece, except the last. */
const LEAST_PIECE = 64 * 1024;

async function wholeAnswer(
  way: Pick<StreamLink, "ask">,
  { head, body }: LinkFrame,
  { id, mostBytes, pollMs }: { id: string; mostBytes: number; pollMs: number },
): Promise<Answer> {
  const total = head.total ?? body.length;
  if (!Number.isSafeInteger(total) || total < body.length || total > mostBytes)
    throw nodesError("NODE_ANSWER_INVALID", `The answer has ${total} bytes; the limit is ${mostBytes}.`);
  const pieces = [body];
  let length = body.length;
  for (let misses = 0; length < total;) {
    const reply = await way.ask({ op: "pull", id, left: pollMs, from: length }, pollMs);
    const piece = typeof reply === "object" ? reply.body : Buffer.alloc(0);
    if (piece.length > 0 && piece.length < Math.min(LEAST_PIECE, total - length))
      throw nodesError("NODE_ANSWER_INVALID", "The node sends its answer in unnecessarily small pieces.");
    if (piece.length > 0) {
      misses = 0;
      pieces.push(piece);
      length += piece.length;
    } else if (++misses > MAX_LOST || reply === "unknown")
      throw nodesError("NODE_OUTCOME_UNKNOWN", "The call was sent, but its answer is incomplete.");
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString()) as Answer;
  } catch {
    throw nodesError("NODE_ANSWER_INVALID", "The answer of the node is not JSON.");
  }
}
