import { defineErrors } from "@haft/core";

/** Source of docs/reference/errors.md. */
export const sdkError = /* @__PURE__ */ defineErrors(({ input }) => ({
  INVALID_OPTIONS: {
    category: "input",
    fix: "Give `new Response(…)`, `Response.json(…)`, a text, or a function that answers with one of them.",
  },
  PACKAGE_MISSING: {
    category: "operational",
    fix: "Install the package that the message names, for development.",
  },
  TEST_REQUEST_UNEXPECTED: input(
    "A tool contacts an address that its test has no answer for. Nothing was sent.",
    "Add the address to `network` of the test.",
  ),
  SANDBOX_UNAVAILABLE: {
    category: "operational",
    fix: 'Install what the message names, or test the rules alone with `workspace: "memory"`.',
  },
}));
