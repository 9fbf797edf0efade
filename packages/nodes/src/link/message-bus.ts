/** A received message. Its sender is unknown until its signature or code is verified. */
export interface BusMessage {
  /** Subject of the message. */
  readonly subject: string;
  /** Content of the message. */
  readonly bytes: Uint8Array;
  /** Subject for an answer. */
  readonly reply?: string | undefined;
  /** The server reports that no subscriber received the message to which this subject is the answer. */
  readonly noResponders?: true;
}

/**
 * Carries messages between hosts and nodes: at most once, and if possible in order from one sender to one subject. It is not
 * trusted with anything else.
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
  /** Prefix of all subjects. */
  readonly prefix: string;
  /** Maximum size of a message in bytes. */
  readonly maxBytes: number;
  /** Whether the connection appears to be up, so that messages are sent immediately. */
  readonly connected: boolean;
  /**
   * Sends a message.
   *
   * @throws HaftError `NODE_UNREACHABLE` if it is certain that the message was not sent, and will not be sent later
   */
  publish(subject: string, bytes: Uint8Array, reply?: string): void;
  /** Subscribes to a subject. Returns a function that ends the subscription. @param subject with `*` for one word */
  subscribe(subject: string, take: (message: BusMessage) => void): () => void;
  /** Resolves when the server has processed all messages and subscriptions. */
  flush(): Promise<void>;
  /** Closes the bus with all subscriptions. */
  close(): Promise<void>;
}

/** The subjects of hosts and nodes. Ids are words without dots. */
export const subjects = {
  /** Nodes say who they are. */
  who: (prefix: string) => `${prefix}.nodes.who`,
  /** What is for one node: `hello`, `link`, `pair`, and of its own programs `here`; `*` for all of it. */
  node: (prefix: string, node: string, what: "hello" | "link" | "pair" | "here" | "*") =>
    `${prefix}.node.${node}.${what}`,
  /** Answers for one host, which no other client of a server with permissions can read. */
  inbox: (prefix: string, host: string, part: string) => `${prefix}.inbox.${host}.${part}`,
};
