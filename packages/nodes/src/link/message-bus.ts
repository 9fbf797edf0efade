/** Contains a received message. Its sender is unknown until its signature or code is verified. */
export interface BusMessage {
  /** Contains the subject. */
  readonly subject: string;
  /** Contains the content. */
  readonly bytes: Uint8Array;
  /** Contains the subject for an answer. */
  readonly reply?: string | undefined;
  /** Reports that no subscriber received the request that this message answers. */
  readonly noResponders?: true;
}

/**
 * Carries messages between hosts and nodes: at most once, and if possible in order from each sender to a subject. It is not trusted with
 * anything else.
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
  /** States whether the connection appears to be up, so that messages are sent immediately. */
  readonly connected: boolean;
  /**
   * Sends a message.
   *
   * @throws HaftError `NODE_UNREACHABLE` if it is certain that the message was not sent, and will not be sent later
   */
  publish(subject: string, bytes: Uint8Array, reply?: string): void;
  /** Subscribes to a subject. Returns a function that ends the subscription. @param subject with `*` for a word */
  subscribe(subject: string, take: (message: BusMessage) => void): () => void;
  /** Resolves when the server has processed all messages and subscriptions. */
  flush(): Promise<void>;
  /** Closes the bus with all subscriptions. */
  close(): Promise<void>;
}

/** Subjects of hosts and nodes. Ids contain no dots. */
export const subjects = {
  who: (prefix: string) => `${prefix}.nodes.who`,
  /** Messages to a node: `hello`, `link`, `pair`; `here` for its other programs; `*` for all. */
  node: (prefix: string, node: string, what: "hello" | "link" | "pair" | "here" | "*") =>
    `${prefix}.node.${node}.${what}`,
  /** Answers to a host. On a server with permissions, other clients cannot read them. */
  inbox: (prefix: string, host: string, part: string) => `${prefix}.inbox.${host}.${part}`,
};
