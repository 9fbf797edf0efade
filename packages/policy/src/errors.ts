import { defineErrors } from "@haft/core";

/** Source of docs/reference/errors.md. */
export const policyError = /* @__PURE__ */ defineErrors(({ input, internal, policy }) => ({
  POLICY_INVALID: policy(
    "The policy has problems; the message lists each with its place. It is not used at all.",
    "Correct what the message names.",
  ),
  POLICY_TABLE_INCOMPLETE: internal(
    "The session table has no row for a built-in tool.",
    "Add a row to the session table, or register the plugin as not built in.",
  ),
  POLICY_TESTS_INVALID: input(
    "A file of expected decisions cannot be read, or an entry of it is malformed.",
    "Write a list of entries with tool, args, session and expect (allow, ask or deny).",
  ),
}));
