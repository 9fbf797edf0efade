/** Contains a message, whose sender is unknown until verification. */
export interface BusMessage {
  /** Contains the subject. */
  readonly subject: string;
  /** Contains the content. */
  readonly bytes: Uint8Array;
  /** Contains the subject for an answer. */
  readonly reply?: string | undefined;
  /** States that no subscriber received the answered request. */
  readonly noResponders?: true;
}

/**
 * Carries messages between hosts and nodes: at most once, if possible in each sender's order. It is not
 * trusted further.
 *
 * @example
 * ```ts
 * import type { MessageBus } from "@haft/nodes";
 * declare const bus: MessageBus;
 * const stop = bus.subscribe(`${bus.prefix}.status.*`, ({ subject, bytes }) => console.log(subject, bytes.length));
 * bus.publish(`${bus.prefix}.status.lab`, new TextEncoder().encode("up"));
 * await bus.flush();
 * stop();
 * ```
 */
export interface MessageBus {
  /** Starts all subjects. */
  readonly prefix: string;
  /** Limits a message in bytes. */
  readonly maxBytes: number;
  /** States whether messages are sent immediately. */
  readonly connected: boolean;
  /**
   * Sends a message.
   *
   * @throws HaftError `NODE_UNREACHABLE` if the message was certainly not sent, and will not be
   */
  publish(subject: string, bytes: Uint8Array, reply?: string): void;
  /** Subscribes to a subject, and returns a function that ends this. @param subject with `*` for a word */
  subscribe(subject: string, take: (message: BusMessage) => void): () => void;
  /** Resolves when the server has processed all messages and subscriptions. */
  flush(): Promise<void>;
  /** Closes the bus with all subscriptions. */
  close(): Promise<void>;
}

/** Subjects; ids contain no dots. */
export const subjects = {
  who: (prefix: string) => `${prefix}.nodes.who`,
  /** To a node: `hello`, `link`, `pair`; `here` for its other programs; `*` for all. */
  node: (prefix: string, node: string, what: "hello" | "link" | "pair" | "here" | "*") =>
    `${prefix}.node.${node}.${what}`,
  /** Answers to a host, unreadable for other clients on a server with permissions. */
  inbox: (prefix: string, host: string, part: string) => `${prefix}.inbox.${host}.${part}`,
};
