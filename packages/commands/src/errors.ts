import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const commandError = /* @__PURE__ */ defineErrors({
  COMMAND_UNCLEAR: {
    category: "internal",
    meaning: "The command cannot be rebuilt: ….",
    fix: "Run the text as a whole, once somebody has agreed to it.",
  },
  PROGRAM_UNRESOLVED: {
    category: "internal",
    meaning: "It is not known where … is.",
    fix: "Look up every entry of `programs` before the command is rebuilt.",
  },
});
