import { defineErrors } from "@haft/core";

/** Defines the errors of this package, a source of docs/reference/errors.md. */
export const commandError = /* @__PURE__ */ defineErrors(({ internal }) => ({
  COMMAND_UNCLEAR: internal(
    "A program tried to rebuild a template that is unclear or empty, or has a program without a path.",
    "Run the whole text after a person has approved it.",
  ),
}));
