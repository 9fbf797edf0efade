import { randomBytes } from "node:crypto";
import { type BusMessage, type MessageBus, subjects } from "./message-bus.ts";

/** Collects answers until `take` returns true or time is over, because the first may be forged. */
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
