import { requireKnownOptions } from "@haft/core/internal";
import { randomBytes } from "node:crypto";
import type { Identity } from "../keys/identity.ts";
import { DOMAINS } from "./key-agreement.ts";
import { type MessageBus, subjects } from "./message-bus.ts";
import { readObject } from "./read-object.ts";
import { verifyMessage, signMessage, SigningBudget } from "./signed-message.ts";

const ANSWERS_A_SECOND = 10;

/** Answers programs that look for duplicates of this node. @returns stops it */
export function answerDuplicateChecks(bus: MessageBus, identity: Identity, boot: string): () => void {
  const subject = subjects.node(bus.prefix, identity.id, "here");
  const signing = new SigningBudget(ANSWERS_A_SECOND);
  return bus.subscribe(subject, ({ bytes }) => {
    const nonce = readObject(bytes)?.["asks"];
    if (typeof nonce !== "string" || nonce.length > 64 || !signing.has()) return;
    try {
      bus.publish(subject, signMessage(identity, DOMAINS.here, { boot }, Buffer.from(nonce)));
    } catch {
      // Without a connection, hosts are not served.
    }
  });
}

/**
 * Finds another program with this identity on the server, which would share its messages. Answers must be
 * signed for this request.
 *
 * @param options.boot the own boot id, whose answers are ignored
 * @param options.waitMs milliseconds to wait for answers
 * @param options.unasked called if the server did not permit the request, and so did not return it
 * @returns the other program's `boot`, if any
 *
 * @example
 * ```ts
 * import { findDuplicateNode, type HaftNode, type Identity, type MessageBus } from "@haft/nodes";
 * declare const bus: MessageBus, identity: Identity, node: HaftNode;
 * const other = await findDuplicateNode(bus, identity, { boot: node.boot, waitMs: 1_000 });
 * if (other !== undefined) throw new Error("Another program serves this node.");
 * ```
 */
export async function findDuplicateNode(
  bus: MessageBus,
  identity: Identity,
  options: { boot: string; waitMs: number; unasked?: () => void },
): Promise<string | undefined> {
  requireKnownOptions<typeof options>("findDuplicateNode", options, {
    boot: true,
    waitMs: true,
    unasked: true,
  });
  const { boot, waitMs, unasked } = options;
  const subject = subjects.node(bus.prefix, identity.id, "here");
  const nonce = randomBytes(16).toString("base64url");
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let isReceived = false;
  const unsubscribe = bus.subscribe(subject, ({ bytes }) => {
    isReceived ||= readObject(bytes)?.["asks"] === nonce;
    const other = verifyMessage(identity.id, bytes, DOMAINS.here, Buffer.from(nonce))?.["boot"];
    if (typeof other === "string" && other !== boot) resolve(other);
  });
  const timer = setTimeout(() => resolve(undefined), waitMs);
  try {
    await bus.flush();
    bus.publish(subject, Buffer.from(JSON.stringify({ asks: nonce })));
    const other = await promise;
    if (other === undefined && !isReceived) unasked?.();
    return other;
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}
