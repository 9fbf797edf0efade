import type { CallOptions } from "@haft/core/kernel";
import { createBridgeError } from "../incoming/check-options.ts";

/**
 * The sender of the answered message, as in `session.call()`: `"system"`, or an object with `id`, `phone`, `username` or `name`. The
 * policy's rules for senders apply to the call.
 *
 * @example
 * ```ts
 * import type { CallSender } from "@haft/adapters/openai";
 * const sender: CallSender = { id: "u-1842", username: "ada" };
 * ```
 */
export type CallSender = NonNullable<CallOptions["sender"]>;

/**
 * The sender for all calls of a bridge, or a function that returns the sender of each call from the SDK's arguments. If it throws or
 * returns no sender, the call is not made.
 */
export type CallSenderSource = CallSender | ((context: unknown) => CallSender);

/**
 * Empty if the sender of the session applies.
 *
 * @param bridge for messages: `toPi`
 * @param context the SDK's arguments of the call
 * @throws `BRIDGE_INVALID` if the function returns no sender; errors of the function
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
