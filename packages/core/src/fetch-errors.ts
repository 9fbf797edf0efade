import type { ErrorFacts } from "./contract/define-errors.ts";
import type { EffectReceipt, ErrorCategory } from "./contract/errors.ts";

type By = Readonly<
  Record<ErrorCategory, (meaning: string, fix: string, receipt?: EffectReceipt) => ErrorFacts>
>;

/** Those of the network of tools, a part of the catalogue. */
export const fetchErrors = (by: By) => ({
  BODY_TOO_LARGE: by.input(
    "What a tool sent with `context.fetch`, or what came back, is larger than it may be. What was read until then stays read.",
    "Ask for less, or allow more with `maxBytes`: 256 MiB at most.",
  ),
  FETCH_FAILED: by.operational(
    "A request of `context.fetch` got no answer, or no usable one: the name has no address, nothing listens, the certificate is not valid, the answer is broken off.",
    "Read the cause in the message; try again where it may pass.",
    "unknown",
  ),
  FETCH_INVALID: by.input(
    "What was given to `context.fetch` is no request that it makes. Nothing was sent.",
    "Correct what the message names.",
    "none",
  ),
  HOST_DENIED: by.policy(
    "A rule forbids this host to the tool. The reason names the rule. Nothing was sent to it.",
    "Do it without that host, or show the operator the fix: the smallest change that would allow it.",
    "none",
  ),
  NETWORK_UNDECLARED: by.operational(
    "A tool used `context.fetch` without declaring the effect `network`, or for a host that is not among the `hosts` it declares. Nothing was sent.",
    'Report it to the plugin\'s author: `effects` of the tool has to name "network", and `hosts` each host.',
    "none",
  ),
  NO_NETWORK: by.policy(
    "The place that the session works in has no network, or not this part of it. Nothing was sent.",
    "Do it without the network, or ask the operator for a session that has one.",
    "none",
  ),
});
