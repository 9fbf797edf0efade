import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const commandError = /* @__PURE__ */ defineErrors(({ internal }) => ({
  COMMAND_UNCLEAR: internal(
    "An outline that is unclear, or empty, was to be rebuilt.",
    "Run the text as a whole, once somebody has agreed to it.",
  ),
  PROGRAM_UNRESOLVED: internal(
    "A command was to be rebuilt, and one of its programs was not found.",
    "Look up every entry of `programs` before the command is rebuilt.",
  ),
}));
