import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const chatError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  CHAT_OPTIONS: input(
    "The agent loop was given something that is not what it takes. Nothing was asked.",
    "Correct what the message names.",
    "none",
  ),
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
  MODEL_CUT: operational(
    "The answer of the model broke off before its end. Calls in it were not run.",
    "Say it again. Where it happens each time, look at the endpoint and at what is between.",
    "none",
  ),
  MODEL_FAILED: operational(
    "The endpoint of the model answered with an error of its own.",
    "Say it again later; the message has what it said.",
    "none",
  ),
  MODEL_KEY_MISSING: input(
    "The endpoint of the model needs a key, and the variable that should have it is not set.",
    "Set the variable that the message names.",
    "none",
  ),
  MODEL_KEY_REFUSED: operational(
    "The endpoint of the model does not accept the key, or the key may not use this model.",
    "Look at the variable that has the key: that it is whole, of this endpoint, and not revoked.",
    "none",
  ),
  MODEL_REDIRECTED: operational(
    "The endpoint of the model leads to another address. Neither the key nor what was said was sent there.",
    "If that is the endpoint you mean, name it: --base-url, or baseUrl of its provider in your configuration.",
    "none",
  ),
  MODEL_REFUSED: operational(
    "The endpoint of the model did not take the request, or ended its answer by its own rules.",
    "The message has what it said.",
    "none",
  ),
  MODEL_SETTINGS: input(
    "What was said of the model cannot be used: its name, its address, or what goes with it.",
    "Correct what the message names.",
    "none",
  ),
  MODEL_STALLED: operational(
    "The endpoint of the model said nothing for too long, and was not waited for any more.",
    "Say it again, or give it more time with --timeout.",
    "none",
  ),
  MODEL_UNKNOWN: operational(
    "The endpoint does not know this model, or is not found under this address.",
    "Name a model that it has: --model provider/model; with --base-url look at the address, too.",
    "none",
  ),
  MODEL_UNREACHABLE: operational(
    "Nothing answers at the address of the model.",
    "Look at the address, at the network and at whether the endpoint runs; then say it again.",
    "none",
  ),
}));
