import { defineErrors } from "./contract/define-errors.ts";

/** The errors of this package: the source of docs/reference/errors.md. */
export const coreError = /* @__PURE__ */ defineErrors({
  APPROVAL_NOT_FOUND: {
    category: "input",
    meaning: "No call waits for this approval: it was decided already, or never asked.",
    fix: "List the waiting ones with `pendingApprovals()`.",
  },
  APPROVAL_STORE_TIMEOUT: {
    category: "operational",
    meaning:
      "The store of approvals did not answer within 5 s. Logged, and noted for the model; the call is still asked about, and grants do not count.",
    fix: "Look at the store: a full disk, a hanging network drive.",
  },
  ARGUMENTS_TOO_LARGE: {
    category: "input",
    meaning: "The arguments are longer than what is read.",
    fix: "Send the content in several smaller calls.",
  },
  DEADLINE_EXCEEDED: {
    category: "operational",
    meaning: "The call took longer than its deadline and was stopped.",
    fix: "It may have taken effect in part: look before you repeat it. Ask for less at once, or for a longer deadline.",
  },
  DUPLICATE_CALL_ID: {
    category: "input",
    meaning: "The call id was used before in this session. Nothing was run.",
    fix: "Give every call an id of its own, or none.",
  },
  GRANT_IMPOSSIBLE: {
    category: "input",
    meaning:
      "This cannot be allowed for good: every call is to be asked about, or a program that runs others cannot be trusted whatever its arguments. The call still waits.",
    fix: "Use allow-once, or allow-always for the exact call.",
  },
  HOOK_TIMEOUT: {
    category: "operational",
    meaning: "A hook took longer than its time; the cause in `HOOK_FAILED`.",
    fix: "Make the hook faster, or raise its `deadlineMs`.",
  },
  ILLEGAL_TRANSITION: {
    category: "internal",
    meaning: "The ledger was asked for an impossible step.",
    fix: "Report it with the message: it is a defect of Haft or of a store.",
  },
  INVALID_ARGUMENTS: {
    category: "input",
    meaning:
      "The arguments do not fit the tool's parameters. The message names the path, what came and what is expected.",
    fix: "Correct what the message names.",
  },
  INVALID_CALL_ID: {
    category: "input",
    meaning: "The call id is too long.",
    fix: "Send the id the provider gave, or none.",
  },
  INVALID_DECISION: {
    category: "input",
    meaning: "An approval was decided with an unknown word. The call still waits.",
    fix: "Decide again with `allow-once`, `allow-always` or `deny`.",
  },
  INVALID_OPTIONS: {
    category: "input",
    meaning: "An option does not exist, or is not what it has to be. Nothing was opened.",
    fix: "Correct it; the message names the nearest one.",
  },
  INVALID_REQUEST: {
    category: "input",
    meaning: "What was given to `session.call()` is no tool call.",
    fix: "Send `{ id?, name, arguments }`, the arguments as JSON or as its text.",
  },
  MALFORMED_ARGUMENTS: {
    category: "input",
    meaning: "The arguments are not JSON. The message names line and column.",
    fix: "Send them again as one JSON object. If they were cut off, split the work into smaller calls.",
  },
  NESTED_TOO_DEEP: {
    category: "operational",
    meaning: "Tools called each other too many times, one inside the other.",
    fix: "Report it to the tool's author: it probably calls itself.",
  },
  NO_SESSION: {
    category: "input",
    meaning: "A factory of scope `host` used the workspace of its context, but belongs to no session.",
    fix: 'Use the workspace of the context of each call, or declare `scope: "session"`.',
  },
  PLAN_TIMEOUT: {
    category: "operational",
    meaning: "What … would do could not be worked out in … s, so it was not done.",
    fix: "Try again, or ask for less at once.",
  },
  RESULT_INVALID: {
    category: "operational",
    meaning: "The tool ran, but what it returned is no result.",
    fix: "Look at what it did before you call it again. Its author must return `{ content: [...], details }`.",
  },
  SANDBOX_REQUIRED: {
    category: "policy",
    meaning:
      "A sandboxed session needs a sandboxed workspace, and this one is on the host. There is no fallback.",
    fix: "Open it with a sandbox workspace, or open a group session on the host.",
  },
  SCHEMA_INVALID: {
    category: "operational",
    meaning: "The JSON Schema of a tool's parameters is malformed.",
    fix: "Correct the schema at the path in the message.",
  },
  SESSION_CLOSED: {
    category: "input",
    meaning: "The session is closed.",
    fix: "Open a session before calling tools.",
  },
  TOOL_UNAVAILABLE: {
    category: "operational",
    meaning: "The tool exists, but could not be made for this session; the message says why.",
    fix: "See the diagnostic in the details; all other tools work.",
  },
  UNKNOWN_TOOL: {
    category: "input",
    meaning: "This session has no tool of this name.",
    fix: "Use one of the near names in the message, or list the session's tools.",
  },
  WRONG_PLACE: {
    category: "policy",
    meaning: "The name asked for acts in another place (host, sandbox, node) than this session's workspace.",
    fix: "Use the short name, which acts on the files of this session.",
  },
});
