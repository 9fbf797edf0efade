import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const policyError = /* @__PURE__ */ defineErrors({
  POLICY_INVALID: {
    category: "policy",
    meaning: "The policy has problems; the message lists each with its place. It is not used at all.",
    fix: "Correct what the message names.",
  },
  POLICY_TABLE_INCOMPLETE: {
    category: "internal",
    meaning: "The session table has no row for a built-in tool.",
    fix: "Add a row to the session table, or register the plugin as not built in.",
  },
  POLICY_TESTS_INVALID: {
    category: "input",
    meaning: "A file of expected decisions cannot be read, or an entry of it is malformed.",
    fix: "Write a list of entries with tool, args, session and expect (allow, ask or deny).",
  },
});
