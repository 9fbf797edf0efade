import { defineErrors } from "./contract/define-errors.ts";

/** The errors of this package: the source of docs/reference/errors.md. */
export const coreError = /* @__PURE__ */ defineErrors({
  APPROVALS_UNREADABLE: {
    category: "operational",
    meaning:
      "What was allowed before could not be read, so it does not count: the call is asked about. A warning beside the answer.",
    fix: "Repair the store: the warning names the file or folder. `haft approvals` lists what is damaged.",
  },
  APPROVAL_DENIED: {
    category: "policy",
    meaning: "Somebody was asked and said no. Nothing was run.",
    fix: "Do it another way, or ask the user what they prefer.",
  },
  APPROVAL_FAILED: {
    category: "policy",
    meaning: "The approver failed, which is no approval. Nothing was run.",
    fix: "Repair the approver; the message carries its error.",
  },
  APPROVAL_NOT_FOUND: {
    category: "input",
    meaning: "No call waits for this approval: it was decided already, or never asked.",
    fix: "List the waiting ones with `pendingApprovals()`.",
  },
  APPROVAL_NOT_STORED: {
    category: "operational",
    meaning:
      "The request could not be kept where somebody else would see it; only an approver in this program can decide. A warning beside the answer.",
    fix: "Make the folder of the approvals writable, or name another with `--state`.",
  },
  APPROVAL_STORE_TIMEOUT: {
    category: "operational",
    meaning:
      "The store of approvals did not answer within 5 s. Logged, and noted for the model; the call is still asked about, and grants do not count.",
    fix: "Look at the store: a full disk, a hanging network drive.",
  },
  APPROVAL_TIMEOUT: {
    category: "policy",
    meaning: "Nobody decided in time. Nothing was run.",
    fix: "Ask again when somebody is there, or set a longer time.",
  },
  APPROVAL_UNAVAILABLE: {
    category: "policy",
    meaning: "The call needs approval, and nobody can be asked in this session.",
    fix: "Do it another way, or run it where somebody can answer.",
  },
  APPROVAL_WAITING: {
    category: "policy",
    meaning: "The very same call waits for approval already.",
    fix: "Go on with something else until it is decided.",
  },
  ARGUMENTS_TOO_LARGE: {
    category: "input",
    meaning: "The arguments are longer than what is read.",
    fix: "Send the content in several smaller calls.",
  },
  CANCELLED: {
    category: "operational",
    meaning:
      "The call was aborted, by its caller or by the end of the session. The receipt says what is known of its effects.",
    fix: "With the receipt `unknown`, look before you repeat it.",
  },
  CONTRACT_UNKNOWN: {
    category: "operational",
    meaning:
      "A plugin is written for another version of the contract than the host knows. The plugin is left out.",
    fix: "Update the host, or install a version of the plugin for the contract that the message names.",
  },
  DEADLINE_EXCEEDED: {
    category: "operational",
    meaning: "The call took longer than its deadline and was stopped.",
    fix: "It may have taken effect in part: look before you repeat it. Ask for less at once, or for a longer deadline.",
  },
  DUPLICATE_CALL: {
    category: "input",
    meaning: "This exact call already succeeded, or is running. It was not made again.",
    fix: "Go on with the first result, or change the arguments if you mean something else.",
  },
  DUPLICATE_CALL_ID: {
    category: "input",
    meaning: "The call id was used before in this session. Nothing was run.",
    fix: "Give every call an id of its own, or none.",
  },
  FACTORY_FAILED: {
    category: "operational",
    meaning: "A plugin's factory threw. Its tools are missing, all others work.",
    fix: "Report the message to the plugin's author.",
  },
  FACTORY_TIMEOUT: {
    category: "operational",
    meaning: "A plugin's factory took too long. Its tools are missing, all others work.",
    fix: "Report it to the plugin's author, or allow factories more time.",
  },
  GRANT_IMPOSSIBLE: {
    category: "input",
    meaning:
      "This cannot be allowed for good: every call is to be asked about, or a program that runs others cannot be trusted whatever its arguments. The call still waits.",
    fix: "Use allow-once, or allow-always for the exact call.",
  },
  HOOK_BLOCKED: {
    category: "policy",
    meaning: "A hook of the host said no.",
    fix: "Read its reason.",
  },
  HOOK_FAILED: {
    category: "policy",
    meaning: "A hook of the host threw, was late or answered what is no answer, so the call was not made.",
    fix: "Report it to the operator.",
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
  INTERNAL: {
    category: "internal",
    meaning: "The kernel itself failed while it made the call.",
    fix: "Report it with the message: it is a defect of Haft.",
  },
  INTERRUPTED: {
    category: "operational",
    meaning:
      "The process ended while the call ran; the ledger marked it when it was opened again. Its effects are unknown.",
    fix: "Look at what it changed before you repeat it.",
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
  LOOP_BREAKER: {
    category: "input",
    meaning: "Too many calls in a row brought nothing new, so calls made before are refused.",
    fix: "Make a call you have not made yet, or tell the user what is in the way.",
  },
  LOOP_CYCLE: {
    category: "input",
    meaning:
      "The last calls go in a circle with the same results. As a warning they ran; as a block they did not.",
    fix: "Try something different, or tell the user what is in the way.",
  },
  LOOP_POLL: {
    category: "input",
    meaning: "A poll was repeated too often without anything new.",
    fix: "Wait longer between polls, do something else first, or end what is polled.",
  },
  LOOP_REPEAT: {
    category: "input",
    meaning: "One exact call gave the same result too often.",
    fix: "Change the arguments or the approach, or tell the user what is in the way.",
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
  PENDING_APPROVAL: {
    category: "policy",
    meaning: "The call waits for a decision; nobody is attached who could be asked now. Nothing was run yet.",
    fix: "Decide with the approval id; the call then goes on.",
  },
  PLAN_TIMEOUT: {
    category: "operational",
    meaning: "What the call would do could not be worked out in time, so it was not made.",
    fix: "Try again, or ask for less at once.",
  },
  PLUGIN_INVALID: {
    category: "operational",
    meaning: "A plugin's definition is malformed, or its id is taken. The plugin is left out.",
    fix: "Give each plugin an id of its own, of lower-case letters, digits and dashes.",
  },
  POLICY_DENIED: {
    category: "policy",
    meaning: "A rule forbids the tool or this call. The reason names the rule.",
    fix: "Do it another way, or show the operator the fix: the smallest change that would allow it.",
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
  TOOL_FAILED: {
    category: "operational",
    meaning: "The tool threw something that is no `HaftError`. The message is its own.",
    fix: "Read the message; the receipt says whether something may have changed. Authors: throw a `HaftError` with a code.",
  },
  TOOL_INVALID: {
    category: "operational",
    meaning: "A factory made something that is no tool, or one tool twice. It is left out.",
    fix: "Report the message to the plugin's author; its other tools work.",
  },
  TOOL_NAME_COLLISION: {
    category: "operational",
    meaning: "Two plugins claim one tool name; the first keeps it.",
    fix: "Rename one, list the name in `replaces`, or call the second by its id, `plugin/name`.",
  },
  TOOL_UNAVAILABLE: {
    category: "operational",
    meaning: "The tool exists, but could not be made for this session; the message says why.",
    fix: "See the diagnostic in the details; all other tools work.",
  },
  TOOL_UNDECLARED: {
    category: "operational",
    meaning: "A factory made a tool its registration does not name. It is left out.",
    fix: "Add the name to `names` of the registration.",
  },
  TOO_MANY_APPROVALS: {
    category: "policy",
    meaning: "64 calls of the session wait for approval already.",
    fix: "Have some of them decided first.",
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
