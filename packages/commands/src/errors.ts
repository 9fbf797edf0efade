import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const commandError = /* @__PURE__ */ defineErrors({
  COMMAND_UNCLEAR: {
    category: "internal",
    meaning: "An outline that is unclear, or empty, was to be rebuilt.",
    fix: "Run the text as a whole, once somebody has agreed to it.",
  },
  PROGRAM_UNRESOLVED: {
    category: "internal",
    meaning: "A command was to be rebuilt, and one of its programs was not found.",
    fix: "Look up every entry of `programs` before the command is rebuilt.",
  },
});
