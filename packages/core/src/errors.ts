import { defineErrors } from "./contract/define-errors.ts";

/** Catalogue of this package, the source of docs/reference/errors.md. */
export const coreError = /* @__PURE__ */ defineErrors(({ input, internal, operational, policy }) => ({
  ARGUMENTS_TOO_LARGE: input(
    "The arguments are longer, deeper, or have more values than what is read.",
    "Send the content in several smaller calls.",
  ),
  CANCELLED: operational(
    "The call was aborted, by its caller or by the end of the session. The receipt says what is known of its effects.",
    "With the receipt `unknown`, look before you repeat it.",
  ),
  CONTRACT_UNKNOWN: operational(
    "A plugin is written for another version of the contract than the host knows. The plugin is left out.",
    "Update the host, or install a version of the plugin for the contract that the message names.",
  ),
  DEADLINE_EXCEEDED: operational(
    "The call took longer than its deadline and was stopped.",
    "It may have taken effect in part: look before you repeat it. Ask for less at once, or for a longer deadline.",
  ),
  DISPOSE_FAILED: operational(
    "A plugin's `dispose` threw or took too long. What it holds may stay until the process ends.",
    "Report the message to the plugin's author.",
  ),
  DUPLICATE_CALL: input(
    "This exact call already succeeded, or is running. It was not made again.",
    "Go on with the first result, or change the arguments if you mean something else.",
  ),
  DUPLICATE_CALL_ID: input(
    "The call id was used before in this session. Nothing was run.",
    "Give every call an id of its own, or none.",
  ),
  FACTORY_FAILED: operational(
    "A plugin's factory threw. Its tools are missing, all others work.",
    "Report the message to the plugin's author.",
  ),
  HOOK_BLOCKED: policy("A hook of the host said no.", "Read its reason."),
  HOOK_FAILED: policy(
    "A hook of the host threw, was late or answered what is no answer, so the call was not made.",
    "Report it to the operator.",
  ),
  INTERNAL: internal(
    "The kernel itself failed while it made the call.",
    "Report it with the message: it is a defect of Haft.",
  ),
  INTERRUPTED: operational(
    "The process ended while the call ran; the ledger marked it when it was opened again. Its effects are unknown.",
    "Look at what it changed before you repeat it.",
  ),
  INVALID_ARGUMENTS: input(
    "The arguments are not JSON, do not fit the tool's parameters, or do not go together. The message names the place, what came and what is expected.",
    "Correct what the message names.",
  ),
  INVALID_CALL_ID: input("The call id is too long.", "Send the id the provider gave, or none."),
  INVALID_DECISION: input(
    "An approval was decided with an unknown word, or this call cannot be allowed for good. The call still waits.",
    "Decide again with `allow-once`, `allow-always` or `deny`; the message says what is possible.",
  ),
  INVALID_OPTIONS: input(
    "An option does not exist, or is not what it has to be. Nothing was opened.",
    "Correct it; the message names the nearest one.",
  ),
  INVALID_REQUEST: input(
    "What was given to `session.call()` is no tool call.",
    "Send `{ id?, name, arguments }`, the arguments as JSON or as its text.",
  ),
  LEDGER_UNAVAILABLE: operational(
    "The ledger cannot be written where the host keeps it. A call that changes things was not run, or, as a warning beside an outcome, its end could not be recorded: that is tried again until the session is closed.",
    "Look at the store the message names: a full or read-only disk, a lock, a server that is away. Then call again.",
  ),
  LOOP_CYCLE: input(
    "The last calls go in a circle with the same results. As a warning they ran; as a block they did not.",
    "Try something different, or tell the user what is in the way.",
  ),
  LOOP_REPEAT: input(
    "A call or a poll gave the same result too often, or too many calls in a row brought nothing new; the message says which. As a warning it ran; as a block it did not.",
    "Change the arguments or the approach, or tell the user what is in the way.",
  ),
  NESTED_TOO_DEEP: operational(
    "Tools called each other too many times, one inside the other.",
    "Report it to the tool's author: it probably calls itself.",
  ),
  MANIFEST_WRONG: operational(
    "The `haft.plugin.json` of a plugin cannot be read, or its code may do more than it says. The plugin is left out.",
    "Install another version, or have its author make it anew: `haft plugins manifest`.",
    "none",
  ),
  PENDING_APPROVAL: policy(
    "The call waits for a decision; nobody is attached who could be asked now. Nothing was run yet.",
    "Decide with the approval id; the call then goes on.",
  ),
  PLUGIN_CONFIG_INVALID: input(
    "The configuration of a plugin is not what its `configSchema` asks for. The plugin is left out, and nothing of it ran.",
    "Correct it where the plugin is named; the message has the file, the line and the key.",
    "none",
  ),
  PLUGIN_DISPOSED: operational(
    "The plugin of the tool has ended: the host closes, or a reload dropped or changed the plugin while the call waited.",
    "Call again: the session has the tools that hold now.",
    "none",
  ),
  PLUGIN_INVALID: operational(
    "A plugin's definition is malformed, or its id is taken. The plugin is left out.",
    "Give each plugin an id of its own, of lower-case letters, digits and dashes.",
  ),
  PLUGIN_NOT_FOUND: operational(
    "A plugin that is named is not where it is looked for: beside the configuration that names it. It is left out.",
    "Install it there, or correct its name; `haft plugins add` does both.",
  ),
  PLUGIN_UNLOADABLE: operational(
    "A plugin could not be loaded: it threw, looped, ended the process, or needs what is not there. It is left out, or its tool was not run.",
    "The message says what is in its way. It is tried again when its files change, or with `haft plugins check`.",
    "none",
  ),
  POLICY_DENIED: policy(
    "A rule forbids the tool or this call. The reason names the rule.",
    "Do it another way, or show the operator the fix: the smallest change that would allow it.",
  ),
  RESULT_INVALID: operational(
    "The tool ran, but what it returned is no result.",
    "The tool ran, so look at what it did before calling it again. Its author must return { content: [...], details }.",
    "unknown",
  ),
  RUN_ELSEWHERE: input(
    "The run that was to be continued was in another folder, or of a session of another kind: its answers are not true here.",
    "Continue it there, with a session of that kind; or open this session without `resume`.",
    "none",
  ),
  RUN_NOT_FOUND: input(
    "There is no such run of this session to continue.",
    "List the runs there are, with `haft ledger list --all`, or open the session without `resume`.",
    "none",
  ),
  SANDBOX_REQUIRED: policy(
    "A sandboxed session needs a sandboxed workspace, and this one is on the host.",
    "Open it with a sandbox workspace, or open a group session on the host. There is no fallback.",
  ),
  SESSION_CLOSED: input("The session is closed.", "Open a session before calling tools."),
  SESSION_HELD: operational(
    "Another process has the run that was to be continued; the message says which, and since when.",
    "Close the session there, or open with `takeOver`, which waits for its lease to end.",
    "none",
  ),
  SESSION_LEASE_LOST: operational(
    "The lease by which this program acts for the session has ended, so another one may be acting for it: no call is made any more, and nothing is written or started. The receipt says whether a part was done before.",
    "Let this session go. Whoever has the run now goes on; to have it here again, open it with `resume`.",
  ),
  SETUP_FAILED: operational(
    "A plugin's `setup` threw. Its tools are missing, all others work.",
    "Read the message; the plugin is set up again when the host reloads or starts.",
    "none",
  ),
  TOOL_FAILED: operational(
    "The tool threw something that is no `HaftError`. The message is its own, and what caused it stands below.",
    "Read the message; the receipt says whether something may have changed. Authors: throw a `HaftError` with a code.",
  ),
  TOOL_INVALID: operational(
    "A factory made something that is no tool, or one tool twice, which is left out; or the schema of a tool's parameters threw, was late, or made of the arguments what is no JSON. Nothing was run.",
    "Report the message to the plugin's author; its other tools work.",
  ),
  TOOL_NAME_COLLISION: operational(
    "Two plugins claim one tool name; the first keeps it.",
    "Rename one, list the name in `replaces`, or call the second by its id, `plugin/name`.",
  ),
  TOOL_REPLACED: operational(
    "Another plugin replaces the tool on purpose, by its `replaces`.",
    "Call it by its id, `plugin/name`, or leave the other plugin out.",
  ),
  TOOL_UNAVAILABLE: operational(
    "The tool exists, but not in this session, or could not be made for it; the message says why.",
    "See the diagnostic in the details; all other tools work.",
  ),
  TOOL_WITHHELD: operational(
    "The tool is registered, and its plugin's factory made none for this session (`null`, or a list without it).",
    "See the plugin's documentation for what the tool needs.",
  ),
  TOO_MANY_APPROVALS: policy(
    "64 calls of the session wait for approval already.",
    "Have some of them decided first.",
  ),
  UNKNOWN_TOOL: input(
    "This session has no tool of this name.",
    "Use one of the near names in the message, or list the session's tools.",
  ),
  WRONG_PLACE: policy(
    "The name asked for acts in another place (host, sandbox, node) than this session's workspace.",
    "Use the short name, which acts on the files of this session.",
  ),
  BODY_TOO_LARGE: input(
    "What a tool sent with `context.fetch`, or what came back, is larger than it may be. What was read until then stays read.",
    "Ask for less, or allow more with `maxBytes`: 256 MiB at most.",
  ),
  FETCH_FAILED: operational(
    "A request of `context.fetch` got no answer, or no usable one: the name has no address, nothing listens, the certificate is not valid, the answer is broken off.",
    "Read the cause in the message; try again where it may pass.",
    "unknown",
  ),
  FETCH_INVALID: input(
    "What was given to `context.fetch` is no request that it makes. Nothing was sent.",
    "Correct what the message names.",
    "none",
  ),
  HOST_DENIED: policy(
    "A rule forbids this host to the tool. The reason names the rule. Nothing was sent to it.",
    "Do it without that host, or show the operator the fix: the smallest change that would allow it.",
    "none",
  ),
  NETWORK_UNDECLARED: operational(
    "A tool used `context.fetch` without declaring the effect `network`, or for a host that is not among the `hosts` it declares. Nothing was sent.",
    'Report it to the plugin\'s author: `effects` of the tool has to name "network", and `hosts` each host.',
    "none",
  ),
  NO_NETWORK: policy(
    "The place that the session works in has no network, or not this part of it. Nothing was sent.",
    "Do it without the network, or ask the operator for a session that has one.",
    "none",
  ),
  APPROVALS_UNREADABLE: operational(
    "What was allowed before could not be read, so it does not count: the call is asked about. A warning beside the answer.",
    "Repair the store: the warning names the file or folder. `haft approvals` lists what is damaged.",
  ),
  APPROVAL_DENIED: policy(
    "Somebody was asked and said no. Nothing was run.",
    "Do it another way, or ask the user what they prefer.",
  ),
  APPROVAL_ID_TAKEN: internal(
    "The id of a new request or grant is taken already, or cannot be one.",
    "Ask again: it gets another id.",
  ),
  APPROVAL_NOT_FOUND: input(
    "No call waits for this approval: it was decided already, its time is over, it was withdrawn, or it was never asked.",
    "List the waiting ones, with `haft approvals` or pendingApprovals().",
  ),
  APPROVAL_NOT_STORED: operational(
    "The request could not be kept where somebody else would see it; only an approver in this program can decide. A warning beside the answer.",
    "Make the folder of the approvals writable, or name another with `--state`.",
  ),
  APPROVAL_OUTDATED: policy(
    "A call that waited for approval when its run was left is not what was shown any more: the message says what is another. Nothing was run.",
    "Make the call again, so that it is decided about as things are now.",
    "none",
  ),
  APPROVAL_TIMEOUT: policy(
    "Nobody decided in time. Nothing was run.",
    "Ask again when somebody is there, or set a longer time.",
  ),
  APPROVAL_TOO_LONG: policy(
    "The call needs approval, and what a person would have to read of it is longer than 256 KiB. Nobody was asked, and nothing was run.",
    "Do it in several smaller calls, or write the rules so that nobody has to be asked about it.",
  ),
  APPROVAL_UNAVAILABLE: policy(
    "The call needs approval, and nobody can be asked in this session.",
    "Do it another way, or run it where somebody can answer.",
  ),
  APPROVAL_WAITING: policy(
    "The very same call waits for approval already.",
    "Go on with something else until it is decided.",
  ),
  REWIND_BUSY: operational(
    "A call still runs that may change files, so they were not put back.",
    "Wait for it, or abort it, and rewind again.",
    "none",
  ),
  REWIND_CONFLICT: operational(
    "In the record of a rewind: something else changed files meanwhile, so nothing was put back.",
    "Look at the files it names; `--skip-conflicts` (`skipConflicts`) puts the rest back.",
    "none",
  ),
  REWIND_DENIED: policy(
    "Putting files back is writing them, and the policy of the session does not let it write one of them, or wants somebody asked. Nothing was changed.",
    "The operator can do it: `haft undo SESSION --to CALL`.",
    "none",
  ),
  REWIND_UNAVAILABLE: input(
    "No journal keeps what the session changed.",
    "Give the host a `stateDir`.",
    "none",
  ),
}));
