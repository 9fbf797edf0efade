import { Duplex } from "node:stream";

/** What is said of a stream with each of its messages, beside the bytes. */
export interface StreamSegment {
  /** Where the bytes begin; without any, where the next will. */
  readonly from: number;
  readonly end?: true;
  /** All before this has arrived; one more than there are bytes once the end has, too. */
  readonly have: number;
  /** Bytes before this may be sent. */
  readonly until: number;
  /** Something between is missing: what has not arrived is to be sent again. */
  readonly again?: true;
}

/** Bytes that are under way, or wait at either end. */
const WINDOW = 2 * 1024 * 1024;
/** Until what is missing is asked for once more, at the next message. */
const ASK_AGAIN_MS = 200;

/**
 * One end of a stream whose bytes travel in messages that may be lost, come twice, or not in order. Each end asks for the bytes
 * from an offset on, as many as it has room for, and gets no others; what was sent is kept until it has arrived, and is sent
 * again when it is asked for. So memory is bounded on both sides, and whoever stands still loses nothing.
 */
export class FlowControlledStream extends Duplex {
  readonly #mostBytes: number;
  readonly #send: (piece: StreamSegment, body: Uint8Array) => void;
  readonly #onEnd: () => void;
  readonly #unsent: Buffer[] = [];
  readonly #unheard: { from: number; body: Buffer }[] = [];
  #length = 0;
  #sent = 0;
  #arrived = 0;
  #until = WINDOW;
  #isFinal = false;
  #isEndSent = false;
  #waiting: (() => void) | undefined;
  #received = 0;
  #hasEnd = false;
  #told = WINDOW;
  /** Where something was missing when it was last said so. */
  #missedAt = -1;
  #askAgainAt = 0;

  /**
   * @param send sends a message; what it throws is for later: it counts as lost
   * @param mostBytes of one message
   * @param onEnd when all has come that will; whoever gives it ends the stream for its reader
   */
  constructor(send: (piece: StreamSegment, body: Uint8Array) => void, mostBytes: number, onEnd?: () => void) {
    super({ readableHighWaterMark: 256 * 1024, autoDestroy: false });
    this.#send = send;
    this.#mostBytes = mostBytes;
    this.#onEnd = onEnd ?? (() => this.push(null));
  }

  get isDelivered(): boolean {
    return this.#isFinal && this.#arrived > this.#length;
  }

  get hasEnd(): boolean {
    return this.#hasEnd;
  }

  /** A message of the other end. @returns what cannot be true, as the end of a sentence */
  receive(piece: StreamSegment, body: Buffer): string | undefined {
    if (this.destroyed) return undefined;
    const { from, end, have, until, again } = piece;
    if (![from, have, until].every((at) => Number.isSafeInteger(at) && at >= 0))
      return "its offsets are no numbers";
    if (have > this.#sent + (this.#isEndSent ? 1 : 0)) return "it has what was never sent";
    if (from + body.length > this.#received - this.readableLength + WINDOW)
      return "it sends more than it was asked for";
    if (this.#hasEnd && from + body.length > this.#received) return "it goes on after its end";
    if (until > this.#until) this.#until = Math.min(until, have + WINDOW);
    this.#drop(have);
    this.#arrive(from, body, end === true);
    if (again === true) this.resend();
    this.#flow();
    return undefined;
  }

  /** Says where it stands. @param again what has not arrived is to be sent again */
  acknowledge(again?: true): void {
    this.#say({ from: this.#sent, ...(this.#isEndSent && { end: true }), ...(again && { again }) }, NOTHING);
  }

  resend(): void {
    for (const { from, body } of this.#unheard) this.#say({ from }, body);
    if (this.#isEndSent && this.#arrived <= this.#length)
      this.#say({ from: this.#length, end: true }, NOTHING);
  }

  /** What the other end is known to have can go; what was lost by then is seen by what comes after it. */
  #drop(have: number): void {
    if (have <= this.#arrived) return;
    this.#arrived = have;
    while (this.#unheard.length > 0 && endOf(this.#unheard[0]!) <= have) this.#unheard.shift();
    this.#release();
  }

  #arrive(from: number, body: Buffer, end: boolean): void {
    if (from > this.#received) {
      // Once for each place, at first: all that is under way comes after it, too.
      const now = performance.now();
      if (this.#missedAt === this.#received && now < this.#askAgainAt) return;
      this.#missedAt = this.#received;
      this.#askAgainAt = now + ASK_AGAIN_MS;
      return this.acknowledge(true);
    }
    const fresh = body.subarray(this.#received - from);
    if (fresh.length > 0) {
      this.#received += fresh.length;
      this.push(fresh);
    }
    if (end && !this.#hasEnd && from + body.length === this.#received) {
      this.#hasEnd = true;
      this.acknowledge();
      this.#onEnd();
    }
    this.#widen();
  }

  /** Asks for more as soon as there is much more room than the other end knows of. */
  #widen(): void {
    if (this.#room() - this.#told >= WINDOW / 4) this.acknowledge();
  }

  #room(): number {
    return this.#received - this.readableLength + WINDOW;
  }

  #flow(): void {
    while (this.#unsent.length > 0 && this.#sent < this.#until) {
      const body = this.#next(Math.min(this.#mostBytes, this.#until - this.#sent));
      const from = this.#sent;
      this.#sent += body.length;
      this.#unheard.push({ from, body });
      this.#say({ from, ...this.#endAfter() }, body);
    }
    if (this.#isFinal && !this.#isEndSent && this.#unsent.length === 0)
      this.#say({ from: this.#sent, ...this.#endAfter() }, NOTHING);
  }

  #endAfter(): { end?: true } {
    if (!this.#isFinal || this.#unsent.length > 0) return {};
    this.#isEndSent = true;
    return { end: true };
  }

  /** At most so many of the bytes that come next, as few messages as it takes. */
  #next(most: number): Buffer {
    const parts: Buffer[] = [];
    let left = most;
    while (left > 0 && this.#unsent.length > 0) {
      const first = this.#unsent[0]!;
      if (first.length > left) this.#unsent[0] = first.subarray(left);
      else this.#unsent.shift();
      parts.push(first.subarray(0, left));
      left -= Math.min(left, first.length);
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  #say(piece: Partial<StreamSegment> & { from: number }, body: Uint8Array): void {
    const until = this.#room();
    this.#told = until;
    try {
      this.#send({ ...piece, have: this.#received + (this.#hasEnd ? 1 : 0), until }, body);
    } catch {
      // As if it had been lost on the way.
    }
  }

  #release(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    // The last of all is over once everything has arrived.
    if (this.#isFinal ? !this.isDelivered : this.#length - this.#arrived >= WINDOW) return;
    this.#waiting = undefined;
    waiting();
  }

  #accept(chunks: readonly Buffer[], done: () => void): void {
    for (const chunk of chunks) {
      this.#length += chunk.length;
      if (chunk.length > 0) this.#unsent.push(chunk);
    }
    this.#waiting = done;
    this.#flow();
    this.#release();
  }

  override _read(): void {
    // Not before what is read now has been taken.
    setImmediate(() => {
      if (!this.destroyed) this.#widen();
    });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#accept([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#accept(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: () => void): void {
    this.#isFinal = true;
    this.#waiting = done;
    this.#flow();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#unsent.length = 0;
    this.#unheard.length = 0;
    this.#waiting = undefined;
    done(error);
  }
}

const NOTHING = Buffer.alloc(0);

function endOf({ from, body }: { from: number; body: Buffer }): number {
  return from + body.length;
}
