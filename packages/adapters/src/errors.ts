import { defineErrors } from "@haft/core";

/** The source of docs/reference/errors.md. */
export const adapterError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  BRIDGED_API_MISSING: operational(
    "A tool of another agent used a function of that agent that Haft does not provide.",
    "Use the tool in its own agent, or use another tool. The message names the function.",
    "unknown",
  ),
  BRIDGED_TOOL_FAILED: operational(
    "A tool of another framework reported a failure in its result, or returned a result that Haft cannot read.",
    "Read the result. The receipt states whether something may have changed.",
    "unknown",
  ),
  BRIDGE_INVALID: input(
    "A bridge received a value of the wrong type, or options that do not match the tools. It created nothing.",
    "Correct the value that the message names.",
  ),
  BRIDGE_TOOL_REFUSED: operational(
    "A tool of another framework works only inside that framework, or has no JSON Schema. Haft leaves it out and offers the other tools.",
    "The message states the reason.",
    "none",
  ),
  INVALID_ARGUMENTS: {
    category: "input",
    fix: "Correct the argument that the message names.",
    receipt: "none",
  },
}));
