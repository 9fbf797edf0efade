import { defineErrors } from "@haft/core";

/** The source of docs/reference/errors.md. */
export const adapterError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  BRIDGED_API_MISSING: operational(
    "A tool made for another agent used a part of that agent which is not there.",
    "Use the tool in the agent it was made for, or another one. The message names the part.",
    "unknown",
  ),
  BRIDGED_TOOL_FAILED: operational(
    "A tool of another framework said in its result that it failed, or gave what cannot be read as a result.",
    "Read what it says; the receipt tells whether something may have changed.",
    "unknown",
  ),
  BRIDGE_INVALID: input(
    "A bridge was given something that is not what it takes, or options that do not fit the tools. Nothing was made.",
    "Correct what the message names.",
  ),
  BRIDGE_TOOL_REFUSED: operational(
    "A tool of another framework cannot be called outside of it, or has no JSON Schema. It is left out; the others work.",
    "The message says what is in its way.",
    "none",
  ),
  INVALID_ARGUMENTS: { category: "input", fix: "Correct what the message names.", receipt: "none" },
}));
