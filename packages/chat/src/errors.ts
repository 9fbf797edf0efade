import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const chatError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  CONVERSATION_TOO_LONG: operational(
    "The conversation does not fit into the model's context, although old results of tools and old messages were left out.",
    "Begin anew with /clear, or name a model with a larger context (--context-tokens).",
    "none",
  ),
  MODEL_BUSY: operational(
    "The endpoint of the model takes no more requests for now: too many, or the account is used up.",
    "Wait, and say it again; or name another model.",
    "none",
  ),
  MODEL_FAILED: operational(
    "The model did not answer to its end; calls in the answer were not run. `details.reason`: `error` of the endpoint, `cut`, or `stalled`.",
    "Say it again later. Where it happens each time, look at the endpoint and at what is between.",
    "none",
  ),
  MODEL_KEY: operational(
    "The endpoint of the model needs a key: its variable is not set, or the endpoint does not accept the key.",
    "Look at the variable that the message names: that it is set, whole, of this endpoint, and not revoked.",
    "none",
  ),
  MODEL_REFUSED: operational(
    "The endpoint of the model did not take the request, or ended its answer by its own rules.",
    "The message has what it said.",
    "none",
  ),
  MODEL_SETTINGS: input(
    "What was said of the model cannot be used: its name, its address, or what goes with it. Perhaps the endpoint does not know the model.",
    "Correct what the message names: --model provider/model, and with --base-url the address.",
    "none",
  ),
  MODEL_UNREACHABLE: operational(
    "Nothing answers at the address of the model, or it leads to another address (`details.reason`: `redirected`), where nothing was sent.",
    "Look at the address, at the network and at whether the endpoint runs; then say it again.",
    "none",
  ),
}));
