import type { LinkFrame, FrameHead } from "../frame.ts";

/** An answer, or why there is none: nobody listens, the node does not know the link, or it is not known. */
export type StreamReply = LinkFrame | "nobody" | "unknown" | "late";

export interface StreamReceiver {
  readonly take: (frame: LinkFrame) => void;
  readonly unknown: () => void;
  /** Of the last message that was taken: what comes after it in its place came before. */
  seq: number;
}

export interface StreamLink {
  readonly maxBytes: number;
  ask(head: Omit<FrameHead, "seq">, limitMs: number, body?: Uint8Array): Promise<StreamReply>;
  /** Says something of a stream, whose answers come to whoever is attached. @throws HaftError when it is certain that nothing was sent */
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
