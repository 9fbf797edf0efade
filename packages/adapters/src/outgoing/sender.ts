import type { CallOptions } from "@haft/core/kernel";
import { createBridgeError } from "../incoming/check-options.ts";

/** Whose message a call answers, as in `session.call()`: rules for senders hold for it. */
export type CallSender = NonNullable<CallOptions["sender"]>;

/**
 * Whose messages the calls of a bridge answer: always the same sender, or a function that names the sender of each call. The function
 * gets what the SDK hands over with the call; where it throws or names nobody, the call is not made.
 */
export type CallSenderSource = CallSender | ((context: unknown) => CallSender);

/**
 * The sender of one call; nothing where the bridge has none, and the call answers the sender of the session.
 *
 * @param bridge for messages: `toPi`
 * @param context what the SDK hands over with the call
 * @throws HaftError `BRIDGE_INVALID` where the function names nobody; what the function throws
 */
export function resolveSender(
  bridge: string,
  sender: CallSenderSource | undefined,
  context: unknown,
): { sender?: CallSender } {
  if (sender === undefined) return {};
  if (typeof sender !== "function") return { sender };
  const named: CallSender | null | undefined = sender(context);
  if (named !== undefined && named !== null) return { sender: named };
  throw createBridgeError(
    `The function sender of ${bridge} named nobody.`,
    'Return a sender for each call: { id: "…" }, or "system" for what no person asked for.',
  );
}
