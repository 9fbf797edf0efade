import type { LinkFrame, FrameHead } from "../frame.ts";

/** An answer, or why there is none: nobody listens, the node does not know the link, or it is not known. */
export type StreamReply = LinkFrame | "nobody" | "unknown" | "late";

export interface StreamTaker {
  readonly take: (frame: LinkFrame) => void;
  readonly unknown: () => void;
  /** Of the last message that was taken: what comes after it in its place came before. */
  seq: number;
}

export interface HostWay {
  readonly mostBytes: number;
  ask(head: Omit<FrameHead, "seq">, limitMs: number, body?: Uint8Array): Promise<StreamReply>;
  /** Says something of a stream, whose answers come to whoever is attached. @throws HaftError when it is certain that nothing was sent */
  say(head: Omit<FrameHead, "seq">, body: Uint8Array): void;
  attach(id: string, taker: StreamTaker): () => void;
}

export interface HostWayOptions {
  readonly another: () => Promise<HostWay>;
  readonly times: {
    readonly pollMs: number;
    readonly stopMs: number;
    readonly lookMs: number;
  };
}
