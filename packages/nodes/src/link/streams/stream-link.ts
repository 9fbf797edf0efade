import type { LinkFrame, FrameHead } from "../frame.ts";

/** An answer, or its absence: no subscriber, a link unknown to the node, or a timeout. */
export type StreamReply = LinkFrame | "nobody" | "unknown" | "late";

export interface StreamReceiver {
  readonly take: (frame: LinkFrame) => void;
  readonly unknown: () => void;
  /** Last accepted sequence; lower numbers are replays. */
  seq: number;
}

export interface StreamLink {
  readonly maxBytes: number;
  ask(head: Omit<FrameHead, "seq">, limitMs: number, body?: Uint8Array): Promise<StreamReply>;
  /** The attached receiver gets the answers. @throws HaftError if the message was certainly unsent */
  send(head: Omit<FrameHead, "seq">, body: Uint8Array): void;
  attach(id: string, taker: StreamReceiver): () => void;
}

export interface StreamLinkOptions {
  readonly reconnect: () => Promise<StreamLink>;
  readonly times: {
    readonly pollMs: number;
    readonly stopMs: number;
    readonly checkMs: number;
  };
}
