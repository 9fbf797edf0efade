import { getErrorMessage, type HaftError, type ToolOutcome } from "@haft/core";
import { createEarlyFailure } from "@haft/core/internal";
import type { CallOptions, CallRequest } from "@haft/core/kernel";
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
 * returns no sender, the call is not made, and the model reads why.
 */
// The context has the type of the SDK, which no bridge imports.
// oxlint-disable-next-line typescript/no-explicit-any
export type CallSenderSource = CallSender | ((context: any) => CallSender);

/**
 * Returns nothing if the sender of the session applies, and an error `BRIDGE_INVALID` if the function fails or returns no sender.
 *
 * @param bridge for messages: `toPi`
 * @param context the SDK's arguments of the call
 */
export function resolveSender(
  bridge: string,
  sender: CallSenderSource | undefined,
  context: unknown,
): { sender?: CallSender } | HaftError {
  if (sender === undefined) return {};
  if (typeof sender !== "function") return { sender };
  const fix = 'Return a sender for each call: { id: "…" }, or "system" for what no person asked for.';
  const refuse = (why: string) =>
    createBridgeError(`The call did not run: the function sender of ${bridge} ${why}.`, fix);
  try {
    const named: CallSender | null | undefined = sender(context);
    // A promise has no id, so no rule for a sender would apply.
    if (named instanceof Promise) {
      named.catch(() => {});
      return refuse("returned a promise");
    }
    return named === undefined || named === null ? refuse("named nobody") : { sender: named };
  } catch (thrown) {
    return refuse(`failed: ${getErrorMessage(thrown)}`);
  }
}

/** Returns the outcome of a call without a sender, which is not made. */
export function createRefusedOutcome({ id = "", name }: CallRequest, error: HaftError): ToolOutcome {
  return createEarlyFailure(id, name, error);
}
