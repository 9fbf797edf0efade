import { requireKnownOptions } from "@haft/core/internal";
import { randomBytes } from "node:crypto";
import type { Identity } from "../keys/identity.ts";
import { DOMAINS } from "./key-agreement.ts";
import { type MessageBus, subjects } from "./message-bus.ts";
import { readObject } from "./read-object.ts";
import { verifyMessage, signMessage, SigningBudget } from "./signed-message.ts";

/** Answers that one program gives in a second to whoever asks. */
const ANSWERS_A_SECOND = 10;

/** Tells other programs that ask that this one serves the node. @returns ends it */
export function answerDuplicateChecks(bus: MessageBus, identity: Identity, boot: string): () => void {
  const subject = subjects.node(bus.prefix, identity.id, "here");
  const signing = new SigningBudget(ANSWERS_A_SECOND);
  return bus.subscribe(subject, ({ bytes }) => {
    const nonce = readObject(bytes)?.["asks"];
    if (typeof nonce !== "string" || nonce.length > 64 || !signing.has()) return;
    try {
      bus.publish(subject, signMessage(identity, DOMAINS.here, { boot }, Buffer.from(nonce)));
    } catch {
      // Without a connection nobody is served, either.
    }
  });
}

/**
 * Whether another program serves a node with this identity now, on the same server: then each would get the messages of both.
 * Answers have to be signed for this very question.
 *
 * @param options.boot of the own node, whose answers do not count
 * @param options.unasked told when the question did not come back from the server, which lets nobody ask it then
 * @returns the `boot` of the other one
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
  let isAsked = false;
  const unsubscribe = bus.subscribe(subject, ({ bytes }) => {
    isAsked ||= readObject(bytes)?.["asks"] === nonce;
    const other = verifyMessage(identity.id, bytes, DOMAINS.here, Buffer.from(nonce))?.["boot"];
    if (typeof other === "string" && other !== boot) resolve(other);
  });
  const timer = setTimeout(() => resolve(undefined), waitMs);
  try {
    await bus.flush();
    bus.publish(subject, Buffer.from(JSON.stringify({ asks: nonce })));
    const other = await promise;
    if (other === undefined && !isAsked) unasked?.();
    return other;
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}
