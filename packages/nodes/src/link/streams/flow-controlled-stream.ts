import { Duplex } from "node:stream";

/** Metadata of each stream message. */
export interface StreamSegment {
  /** Offset of the bytes, or of the next byte. */
  readonly from: number;
  readonly end?: true;
  /** Acknowledges bytes before this offset; one more after the end. */
  readonly have: number;
  /** Allows bytes before this offset. */
  readonly until: number;
  /** Requests unacknowledged bytes again. */
  readonly again?: true;
}

/** Unacknowledged and buffered bytes at each end. */
const WINDOW = 2 * 1024 * 1024;
/** Milliseconds between repeated requests for a gap. */
const ASK_AGAIN_MS = 200;

/**
 * Transports bytes in messages that may be lost, duplicated or reordered. Each end grants a window, and
 * buffers bytes until acknowledged. Memory is bounded, and a paused reader loses nothing.
 */
export class FlowControlledStream extends Duplex {
  readonly #mostBytes: number;
  readonly #send: (piece: StreamSegment, body: Uint8Array) => void;
  readonly #onEnd: () => void;
  readonly #unsent: Buffer[] = [];
  readonly #unacknowledged: { from: number; body: Buffer }[] = [];
  #length = 0;
  #sent = 0;
  #arrived = 0;
  #until = WINDOW;
  #isFinal = false;
  #isEndSent = false;
  #waiting: (() => void) | undefined;
  #received = 0;
  #hasEnd = false;
  #granted = WINDOW;
  #missedAt = -1;
  #askAgainAt = 0;

  /**
   * @param send an error counts as a loss
   * @param mostBytes maximum bytes per message
   * @param onEnd called after all bytes; must end the reader's stream
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

  /** @returns the contradiction as a sentence's end */
  receive(piece: StreamSegment, body: Buffer): string | undefined {
    if (this.destroyed) return undefined;
    const { from, end, have, until, again } = piece;
    if (![from, have, until].every((at) => Number.isSafeInteger(at) && at >= 0))
      return "its offsets are not valid numbers";
    if (have > this.#sent + (this.#isEndSent ? 1 : 0)) return "it acknowledges bytes that were never sent";
    if (from + body.length > this.#received - this.readableLength + WINDOW)
      return "it sends more than was granted";
    if (this.#hasEnd && from + body.length > this.#received) return "it continues after its end";
    if (until > this.#until) this.#until = Math.min(until, have + WINDOW);
    this.#drop(have);
    this.#arrive(from, body, end === true);
    if (again === true) this.resend();
    this.#flow();
    return undefined;
  }

  /** @param again requests unacknowledged bytes */
  acknowledge(again?: true): void {
    this.#say({ from: this.#sent, ...(this.#isEndSent && { end: true }), ...(again && { again }) }, NOTHING);
  }

  resend(): void {
    for (const { from, body } of this.#unacknowledged) this.#say({ from }, body);
    if (this.#isEndSent && this.#arrived <= this.#length)
      this.#say({ from: this.#length, end: true }, NOTHING);
  }

  #drop(have: number): void {
    if (have <= this.#arrived) return;
    this.#arrived = have;
    while (this.#unacknowledged.length > 0 && endOf(this.#unacknowledged[0]!) <= have)
      this.#unacknowledged.shift();
    this.#release();
  }

  #arrive(from: number, body: Buffer, end: boolean): void {
    if (from > this.#received) {
      // Messages in flight repeat a gap, so each is reported once at first.
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

  /** Grants more bytes after free space grew significantly. */
  #widen(): void {
    if (this.#room() - this.#granted >= WINDOW / 4) this.acknowledge();
  }

  #room(): number {
    return this.#received - this.readableLength + WINDOW;
  }

  #flow(): void {
    while (this.#unsent.length > 0 && this.#sent < this.#until) {
      const body = this.#next(Math.min(this.#mostBytes, this.#until - this.#sent));
      const from = this.#sent;
      this.#sent += body.length;
      this.#unacknowledged.push({ from, body });
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
    this.#granted = until;
    try {
      this.#send({ ...piece, have: this.#received + (this.#hasEnd ? 1 : 0), until }, body);
    } catch {
      // Counts as a loss.
    }
  }

  #release(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    // The final write awaits all acknowledgements.
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
    // The current chunk must be consumed.
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
    this.#unacknowledged.length = 0;
    this.#waiting = undefined;
    done(error);
  }
}

const NOTHING = Buffer.alloc(0);

function endOf({ from, body }: { from: number; body: Buffer }): number {
  return from + body.length;
}
