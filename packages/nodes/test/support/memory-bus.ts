import { nodesError } from "../../src/errors.ts";
import type { BusMessage, MessageBus } from "../../src/index.ts";

/** A server of this process that anybody can read and write on, and that a test can have in between. */
export interface Broker {
  /** A client of it. */
  connect(): MessageBus & { connected: boolean };
  /** Every message that was published, in order. */
  readonly messages: BusMessage[];
  /** What becomes of a message on its way: itself by default. */
  intercept: (message: BusMessage) => readonly BusMessage[];
  /** As anybody may. */
  publish(message: BusMessage): void;
}

export function createBroker(): Broker {
  const subscriptions = new Set<{ words: string[]; take: (message: BusMessage) => void }>();
  const deliver = (message: BusMessage) => {
    const words = message.subject.split(".");
    const fitting = [...subscriptions].filter((each) => {
      return (
        each.words.length === words.length &&
        each.words.every((word, at) => word === "*" || word === words[at])
      );
    });
    setImmediate(() => {
      for (const { take } of fitting) take(message);
      if (fitting.length === 0 && message.reply !== undefined)
        deliver({ subject: message.reply, bytes: new Uint8Array(), noResponders: true });
    });
  };
  const made: Broker = {
    messages: [],
    intercept: (message) => [message],
    publish: deliver,
    connect() {
      const subscriptionsOfBus = new Set<() => void>();
      const bus = {
        prefix: "haft",
        maxBytes: 512 * 1024,
        connected: true,
        publish(subject: string, bytes: Uint8Array, reply?: string) {
          if (!bus.connected) throw nodesError("NODE_UNREACHABLE", "There is no connection now.");
          const message = { subject, bytes: Uint8Array.from(bytes), ...(reply !== undefined && { reply }) };
          made.messages.push(message);
          for (const each of made.intercept(message)) deliver(each);
        },
        subscribe(subject: string, take: (message: BusMessage) => void) {
          const subscription = { words: subject.split("."), take };
          subscriptions.add(subscription);
          const end = () => void subscriptions.delete(subscription);
          subscriptionsOfBus.add(end);
          return end;
        },
        flush: async () => undefined,
        async close() {
          bus.connected = false;
          for (const end of subscriptionsOfBus) end();
        },
      };
      return bus;
    },
  };
  return made;
}
