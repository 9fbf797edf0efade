import { defineErrors } from "./contract/define-errors.ts";

/** Catalogue of this package, the source of docs/reference/errors.md. */
export const coreError = /* @__PURE__ */ defineErrors(({ input, internal, operational, policy }) => ({
  ARGUMENTS_TOO_LARGE: input(
    "The arguments are too long, too deep, or have too many values.",
    "Send the content in several smaller calls.",
  ),
  CANCELLED: operational(
    "The caller or the end of the session aborted the call. The receipt says whether it changed anything.",
    "With the receipt `unknown`, check its effects before you repeat it.",
  ),
  CONTRACT_UNKNOWN: operational(
    "A plugin is written for another version of the contract than the host knows. The plugin is left out.",
    "Update the host, or install a version of the plugin for the contract that the message names.",
  ),
  DEADLINE_EXCEEDED: operational(
    "The call took longer than its deadline and was stopped.",
    "Check its effects before you repeat it: a part may be done. Ask for less at once, or for a longer deadline.",
  ),
  DISPOSE_FAILED: operational(
    "A plugin's `dispose` threw or took too long. Its resources may stay in use until the process ends.",
    "Report the message to the plugin's author.",
  ),
  DUPLICATE_CALL: input(
    "This exact call already succeeded or is running. It was not made again.",
    "Use the first result, or change the arguments if you mean something else.",
  ),
  DUPLICATE_CALL_ID: input(
    "The call id was used before in this session. The call did not run.",
    "Give every call a unique id, or none.",
  ),
  FACTORY_FAILED: operational(
    "A plugin's factory threw. Its tools are missing; other tools work.",
    "Report the message to the plugin's author.",
  ),
  HOOK_BLOCKED: policy("A hook of the host blocked the call.", "Read its reason."),
  HOOK_FAILED: policy(
    "A hook of the host threw, was late or returned an invalid answer, so the call was blocked.",
    "Report it to the operator.",
  ),
  INTERNAL: internal("The kernel failed during the call.", "Report the message: it is a defect of Haft."),
  INTERRUPTED: operational(
    "The process ended while the call ran. Its effects are unknown. The ledger marks such calls when it is opened again.",
    "Check its effects before you repeat it.",
  ),
  INVALID_ARGUMENTS: input(
    "The arguments are not JSON, do not match the tool's parameters, or contradict each other. The message names the location, the received value and the expected value.",
    "Correct the value that the message names.",
  ),
  INVALID_CALL_ID: input("The call id is too long.", "Send the id the provider gave, or none."),
  INVALID_DECISION: input(
    "An approval was decided with an unknown word, or the call cannot be allowed permanently. The call still waits.",
    "Decide again with `allow-once`, `allow-always` or `deny`; the message says what is possible.",
  ),
  INVALID_OPTIONS: input(
    "An option does not exist or has an invalid value. Nothing was opened.",
    "Correct the option; the message names the nearest valid option.",
  ),
  INVALID_REQUEST: input(
    "The request of `session.call()` is not a tool call.",
    "Send `{ id?, name, arguments }`, with the arguments as JSON or as JSON text.",
  ),
  LEDGER_UNAVAILABLE: operational(
    "The store of the ledger cannot be written. A call with changes did not run. As a warning next to an outcome: the end of the call is not recorded yet, and the host retries until the session is closed.",
    "Check the store that the message names for a full or read-only disk, a lock or an unreachable server. Then call again.",
  ),
  LOOP_CYCLE: input(
    "The last calls form a cycle with the same results. As a warning they ran; as a block they did not.",
    "Try something different, or tell the user about the problem.",
  ),
  LOOP_REPEAT: input(
    "A call or a poll returned the same result too often, or too many consecutive calls returned nothing new; the message says which. As a warning it ran; as a block it did not.",
    "Change the arguments or the approach, or tell the user about the problem.",
  ),
  NESTED_TOO_DEEP: operational(
    "Calls of tools by tools are nested too deeply.",
    "Report it to the tool's author: it probably calls itself.",
  ),
  MANIFEST_WRONG: operational(
    "The `haft.plugin.json` of a plugin cannot be read, or the code of the plugin may do more than it declares. The plugin is left out.",
    "Install another version, or ask its author to regenerate it with `haft plugins manifest`.",
    "none",
  ),
  PENDING_APPROVAL: policy(
    "The call waits for a decision, and no approver is attached to the session. It has not run.",
    "Decide with the approval id; the call then continues.",
  ),
  PLUGIN_CONFIG_INVALID: input(
    "The configuration of a plugin does not match its `configSchema`. The plugin is left out; only its trial, in another process, ran its code.",
    "Correct the configuration of the plugin; the message names file, line and key.",
    "none",
  ),
  PLUGIN_DISPOSED: operational(
    "The plugin of the tool was disposed of: the host closes, or a reload dropped or changed the plugin while the call waited.",
    "Call again: the session has the current tools.",
    "none",
  ),
  PLUGIN_INVALID: operational(
    "A plugin's definition is malformed, or its id is taken. The plugin is left out.",
    "Give each plugin a unique id of lower-case letters, digits and dashes.",
  ),
  PLUGIN_NOT_FOUND: operational(
    "A configured plugin is not installed next to the configuration that names it. It is left out.",
    "Install it there, or correct its name; `haft plugins add` does both.",
  ),
  PLUGIN_UNLOADABLE: operational(
    "A plugin could not be loaded: it threw, looped, ended the process, or has a missing dependency. It is left out, or its tool did not run.",
    "Fix the problem in the message. The host loads the plugin again when its files change, or with `haft plugins check`.",
    "none",
  ),
  POLICY_DENIED: policy(
    "A rule forbids the tool or this call. The reason names the rule.",
    "Do it another way, or show the operator the fix, the smallest change that would allow it.",
  ),
  RESULT_INVALID: operational(
    "The tool ran, but did not return a valid result.",
    "Check the effects of the tool before you call it again. Its author must return { content: [...], details }.",
    "unknown",
  ),
  RUN_ELSEWHERE: input(
    "The run to resume is from another folder or another kind of session: its recorded results and approvals are not valid here.",
    "Resume it there, with a session of that kind, or open this session without `resume`.",
    "none",
  ),
  RUN_NOT_FOUND: input(
    "This session has no such run to resume.",
    "List the runs with `haft ledger list --all`, or open the session without `resume`.",
    "none",
  ),
  SANDBOX_REQUIRED: policy(
    "A sandboxed session needs a sandboxed workspace, and this one is on the host.",
    "Open it with a sandbox workspace, or open a group session on the host. There is no fallback.",
  ),
  SESSION_CLOSED: input("The session is closed.", "Open a session before calling tools."),
  SESSION_HELD: operational(
    "Another process holds the run to resume; the message says which, and since when.",
    "Close the session there, or open with `takeOver`, which waits for its lease to end.",
    "none",
  ),
  SESSION_LEASE_LOST: operational(
    "The lease of this process for the session has ended, so another process may act for the session. No call starts, and nothing is written or started. The receipt says whether a part was done before.",
    "Close this session: the new holder continues the run. To get it back, open it with `resume`.",
  ),
  SETUP_FAILED: operational(
    "A plugin's `setup` threw. Its tools are missing; other tools work.",
    "Read the message; the plugin is set up again when the host reloads or starts.",
    "none",
  ),
  TOOL_FAILED: operational(
    "The tool threw an error other than a `HaftError` with a code of its own, or returned `isError`. The message is the tool's, followed by the causes.",
    "Read the message; the receipt says whether something may have changed.",
  ),
  TOOL_INVALID: operational(
    "A factory returned an invalid tool or a tool twice, which is left out. Or the schema of a tool's parameters threw, was late or returned a value that is not JSON, and the call did not run.",
    "Report the message to the plugin's author. Its other tools work.",
  ),
  TOOL_NAME_COLLISION: operational(
    "Two plugins claim one tool name; the first keeps it.",
    "Rename one, list the name in `replaces`, or call the second by its id, `plugin/name`.",
  ),
  TOOL_REPLACED: operational(
    "Another plugin replaces the tool with its `replaces`.",
    "Call it by its id, `plugin/name`, or leave the other plugin out.",
  ),
  TOOL_UNAVAILABLE: operational(
    "The tool exists, but not in this session, or it could not be created; the message says why.",
    "Read the diagnostic in the details. All other tools work.",
  ),
  TOOL_WITHHELD: operational(
    "The tool is registered, but its plugin's factory did not create it for this session (`null`, or a list without it).",
    "Read in the plugin's documentation which sessions have the tool.",
  ),
  TOO_MANY_APPROVALS: policy(
    "64 calls of the session already wait for approval.",
    "Decide some of them first.",
  ),
  UNKNOWN_TOOL: input(
    "This session has no tool of this name.",
    "Use one of the similar names in the message, or list the session's tools.",
  ),
  WRONG_PLACE: policy(
    "The requested name acts on another execution target (host, sandbox, node) than this session.",
    "Use the short name, which acts on the files of this session.",
  ),
  BODY_TOO_LARGE: input(
    "The request or response of a tool's `context.fetch` is larger than its limit. The tool keeps the part that it has read.",
    "Request less, or set a higher `maxBytes`, at most 256 MiB.",
  ),
  FETCH_FAILED: operational(
    "A request of `context.fetch` got no valid response: the name has no address, the port is closed, the certificate is invalid, or the response was cut off.",
    "Read the cause in the message. Try again if the cause may be temporary.",
    "unknown",
  ),
  FETCH_INVALID: input(
    "The request of `context.fetch` is invalid. Nothing was sent.",
    "Correct the value that the message names.",
    "none",
  ),
  HOST_DENIED: policy(
    "A rule forbids this host. The reason names the rule. Nothing was sent to the host.",
    "Do it without that host, or show the operator the fix, the smallest change that would allow it.",
    "none",
  ),
  NETWORK_UNDECLARED: operational(
    "A tool used `context.fetch` without the declared effect `network`, or for a host outside of its declared `hosts`. Nothing was sent.",
    'Report it to the plugin\'s author: `effects` of the tool has to name "network", and `hosts` each host.',
    "none",
  ),
  NO_NETWORK: policy(
    "The workspace of the session has no network access, or none to this address. Nothing was sent.",
    "Do it without the network, or ask the operator for a session with network access.",
    "none",
  ),
  APPROVALS_UNREADABLE: operational(
    "Earlier grants could not be read, so they do not count and the call needs approval. A warning next to the outcome.",
    "Repair the store: the warning names the file or folder. `haft approvals` lists damaged entries.",
  ),
  APPROVAL_DENIED: policy(
    "The request was denied. The call did not run.",
    "Do it another way, or ask the user what they prefer.",
  ),
  APPROVAL_ID_TAKEN: internal(
    "The id of a new request or grant is taken or invalid.",
    "Try again: the next attempt uses another id.",
  ),
  APPROVAL_NOT_FOUND: input(
    "No call waits for this approval: it was decided, it expired, it was withdrawn, or it never existed.",
    "List the waiting calls with `haft approvals` or pendingApprovals().",
  ),
  APPROVAL_NOT_STORED: operational(
    "The request could not be stored, so only an approver in this process can decide. A warning next to the outcome.",
    "Make the folder of the approvals writable, or name another: `stateDir` of the host, or `--state`.",
  ),
  APPROVAL_OUTDATED: policy(
    "A call that waited for approval across a resume differs from the call that was shown. The message names the difference. The call did not run.",
    "Make the call again, so that its current state is decided.",
    "none",
  ),
  APPROVAL_TIMEOUT: policy(
    "The approval expired without a decision. The call did not run.",
    "Try again when a person can decide, or set a longer time limit.",
  ),
  APPROVAL_TOO_LONG: policy(
    "The call needs approval, and its text for the approver is longer than 256 KiB. No approval was requested, and the call did not run.",
    "Split it into smaller calls, or change the rules so that it needs no approval.",
  ),
  APPROVAL_UNAVAILABLE: policy(
    "The call needs approval, and this session does not request approvals.",
    "Do it another way, or run it in a session that requests approvals.",
  ),
  APPROVAL_WAITING: policy(
    "The same call already waits for approval.",
    "Do something else until it is decided.",
  ),
  REWIND_BUSY: operational(
    "A running call may change files, so nothing was restored.",
    "Wait for the call or abort it, then rewind again.",
    "none",
  ),
  REWIND_CONFLICT: operational(
    "In the record of a rewind: something else changed files, so nothing was restored.",
    "Check the files that it names; `--skip-conflicts` (`skipConflicts`) restores the rest.",
    "none",
  ),
  REWIND_DENIED: policy(
    "A restore writes files, and the policy of the session denies one of these writes or requires approval for it. Nothing was changed.",
    "Ask the operator to run `haft undo SESSION --to CALL`.",
    "none",
  ),
  REWIND_UNAVAILABLE: input(
    "The session has no journal of its changes.",
    "Give the host a `stateDir`.",
    "none",
  ),
}));
