import { defineErrors } from "@haft/core";

/** The source of docs/reference/errors.md. */
export const chatError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  CONVERSATION_TOO_LONG: operational(
    "The conversation does not fit into the model's context, even without old tool results and old messages.",
    "Start a new conversation with /clear, or use a model with a larger context (--context-tokens).",
    "none",
  ),
  MODEL_BUSY: operational(
    "The model's endpoint accepts no requests for now: there were too many, or the account has no credit.",
    "Wait and send the message again, or use another model.",
    "none",
  ),
  MODEL_FAILED: operational(
    "The model sent no complete answer; calls in it were not run. `details.reason`: `error` of the endpoint, `cut`, or `stalled`.",
    "Send the message again later. If it fails each time, check the endpoint and the network.",
    "none",
  ),
  MODEL_KEY: operational(
    "The model's endpoint needs a key: the variable is not set, or the endpoint rejects the key.",
    "Check the variable in the message: it must contain a complete, valid key for this endpoint.",
    "none",
  ),
  MODEL_REFUSED: operational(
    "The model's endpoint rejected the request, or ended its answer by its own rules.",
    "Read the endpoint's reason in the message, and change the request.",
    "none",
  ),
  MODEL_SETTINGS: input(
    "The settings of the model are invalid: its name, its address or another option. Or the endpoint does not know the model.",
    "Correct the setting in the message: --model provider/model, or the address in --base-url.",
    "none",
  ),
  MODEL_UNREACHABLE: operational(
    "The model's address does not answer, or redirects to another address (`details.reason`: `redirected`). Nothing was sent to the other address.",
    "Check the address, the network and the endpoint. Then send the message again.",
    "none",
  ),
}));
