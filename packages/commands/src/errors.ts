import { defineErrors } from "@haft/core";

/** Defines the errors of this package, a source of docs/reference/errors.md. */
export const commandError = /* @__PURE__ */ defineErrors(({ internal }) => ({
  COMMAND_UNCLEAR: internal(
    "An outline that is unclear, is empty, or has a program that was not looked up was to be rebuilt.",
    "Run the text as a whole, once somebody has agreed to it.",
  ),
}));
