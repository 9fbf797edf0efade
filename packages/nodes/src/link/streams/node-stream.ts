import { setTimeout as sleep } from "node:timers/promises";
import type { OpenedWorkspace, WorkspaceEnd } from "../../contract/workspace.ts";
import type { FrameHead } from "../frame.ts";
import { FlowControlledStream } from "./flow-controlled-stream.ts";
import { toStreamSegment } from "./stream-frames.ts";

/** Sends over the host's latest link and inbox. */
export type SendToHost = (head: Partial<FrameHead>, body: Uint8Array) => void;

/** Milliseconds to wait for an end's reason. */
const REASON_MS = 5_000;

export class NodeStream {
  silentChecks = 0;
  readonly #opened: OpenedWorkspace;
  readonly #sliding: FlowControlledStream;
  readonly #onEnd: (end: WorkspaceEnd) => void;
  #say: SendToHost | undefined;
  #ending: Promise<void> | undefined;

  constructor(opened: OpenedWorkspace, mostBytes: number, onEnd: (end: WorkspaceEnd) => void) {
    this.#opened = opened;
    this.#onEnd = onEnd;
    const { stream } = opened;
    this.#sliding = new FlowControlledStream((piece, body) => {
      if (this.#say === undefined) throw new Error("no host");
      this.#say({ ...piece }, body);
    }, mostBytes);
    const over = () => {
      if (!this.#sliding.writableEnded) this.#sliding.end();
    };
    stream.on("error", over).on("close", over);
    this.#sliding.on("error", () => undefined);
    stream.pipe(this.#sliding);
    this.#sliding.pipe(stream);
    // The stream may contain earlier output.
    void opened.ended.then(() => setTimeout(over, REASON_MS).unref());
  }

  take(head: FrameHead, body: Buffer, say: SendToHost): void {
    this.silentChecks = 0;
    const isFirst = this.#say === undefined;
    this.#say = say;
    if (this.#ending !== undefined) return;
    if (head.close === true) return void this.end("it was closed");
    const wrong = this.#sliding.receive(toStreamSegment(head), body);
    if (wrong !== undefined) return void this.end(`its host's messages contradict each other: ${wrong}`);
    // Earlier output counts as lost.
    if (isFirst) this.#sliding.resend();
    else if (head.again === true) this.#sliding.acknowledge();
    if (this.#sliding.isDelivered) void this.#afterEnd();
  }

  end(why: string): Promise<void> {
    return (this.#ending ??= this.#finish({ why }));
  }

  /** The runner ended and the host has all output. */
  async #afterEnd(): Promise<void> {
    const late = sleep(REASON_MS, undefined, { ref: false });
    const end = await Promise.race([this.#opened.ended, late]);
    await (this.#ending ??= this.#finish(end ?? { why: "its stream ended" }));
  }

  async #finish(end: WorkspaceEnd): Promise<void> {
    this.#sliding.destroy();
    await this.#opened.close().catch(() => undefined);
    this.#onEnd(end);
    this.#say?.({ gone: true }, Buffer.from(JSON.stringify(end)));
  }
}
