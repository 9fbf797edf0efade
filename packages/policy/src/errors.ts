import { defineErrors } from "@haft/core";

/** Source of docs/reference/errors.md. */
export const policyError = /* @__PURE__ */ defineErrors(({ input, internal, policy }) => ({
  POLICY_INVALID: policy(
    "The policy has problems. The message lists each with its position. No part of the policy is used.",
    "Correct the entries in the message.",
  ),
  POLICY_TABLE_INCOMPLETE: internal(
    "The session table has no row for a built-in tool.",
    "Add a row to the session table, or register the plugin as not built in.",
  ),
  POLICY_TESTS_INVALID: input(
    "A file of expected decisions is unreadable or has a malformed entry.",
    "Write a list of entries with tool, args, session and expect (allow, ask or deny).",
  ),
}));
