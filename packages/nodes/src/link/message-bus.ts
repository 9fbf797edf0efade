/** A message as it came. Whose it is nobody knows before its signature or its code was checked. */
export interface BusMessage {
  /** Where it was published. */
  readonly subject: string;
  /** All of it. */
  readonly bytes: Uint8Array;
  /** Where an answer goes. */
  readonly reply?: string | undefined;
  /** The server says that nobody was there to get what was sent with this subject for its answer. */
  readonly noResponders?: true;
}

/**
 * What carries messages between hosts and nodes: at most once, in order from one sender to one subject, as it may be. It is
 * trusted with nothing else.
 */
export interface MessageBus {
  /** Begins all subjects. */
  readonly prefix: string;
  /** Bytes of one message. */
  readonly maxBytes: number;
  /** What is published now is sent now, as far as anybody can tell. */
  readonly connected: boolean;
  /** Sends a message. @throws HaftError `NODE_UNREACHABLE` when it is certain that nothing was sent, and will not be later */
  publish(subject: string, bytes: Uint8Array, reply?: string): void;
  /** Takes what comes until that is ended, which is what it answers. @param subject with `*` for one word */
  subscribe(subject: string, take: (message: BusMessage) => void): () => void;
  /** Once the server has heard all that was said, subscriptions too. */
  flush(): Promise<void>;
  /** Ends it, with all subscriptions. */
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
