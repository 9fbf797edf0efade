import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const sdkError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  TEST_ANSWER_INVALID: input(
    "A test says what a request is answered with, and that is no `Response`, no text and no function that makes one.",
    "Give `new Response(…)`, `Response.json(…)`, a text, or a function that answers with one of them.",
  ),
  TEST_PACKAGE_MISSING: operational(
    "A test needs a package that is not installed: for rules, the host, a sandbox, or the arguments of a check.",
    "Install the package that the message names, for development.",
  ),
  TEST_REQUEST_UNEXPECTED: input(
    "A tool contacts an address that its test has no answer for. Nothing was sent.",
    "Add the address to `network` of the test.",
  ),
  TEST_SANDBOX_UNAVAILABLE: operational(
    "A test asks for a sandbox, and none can be opened on this machine. The message says why for each.",
    'Install what the message names, or test the rules alone with `workspace: "memory"`.',
  ),
}));
