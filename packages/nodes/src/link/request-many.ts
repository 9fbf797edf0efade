import { randomBytes } from "node:crypto";
import { type BusMessage, type MessageBus, subjects } from "./message-bus.ts";

/**
 * Sends one message and looks at all that comes for it, until `take` has enough or the time is over: the first answer may be
 * anybody's.
 */
export async function requestMany(
  bus: MessageBus,
  hostId: string,
  subject: string,
  bytes: Uint8Array,
  waitMs: number,
  take: (message: BusMessage) => boolean,
): Promise<void> {
  const inbox = subjects.inbox(bus.prefix, hostId, randomBytes(12).toString("hex"));
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = bus.subscribe(`${inbox}.*`, (message) => {
    if (take(message)) resolve();
  });
  const timer = setTimeout(resolve, Math.max(0, waitMs));
  try {
    bus.publish(subject, bytes, `${inbox}.0`);
    await promise;
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}
