import { defineErrors } from "@haft/core";

/** The errors of this package, a source of docs/reference/errors.md. Other packages explain the entries without a meaning. */
export const commandError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  APPROVER_GONE: operational(
    "Thrown by an approver whose connection broke: the call goes on waiting for an answer from somewhere else.",
    "Nothing: answer it elsewhere, e.g. with `haft approvals`.",
  ),
  CONFIG_EXISTS: input(
    "`haft config init` was to write a configuration where one is already.",
    "Change that file, or move it away first; haft config show says what it says.",
    "none",
  ),
  CONFIG_INVALID: {
    category: "input",
    fix: "Correct the file; a configuration with a problem is not used at all.",
    receipt: "none",
  },
  FILE_NOT_FOUND: { category: "input", receipt: "none" },
  FILE_UNWRITABLE: {
    category: "operational",
    fix: "Give this user the right to write there, or name another place with --config.",
  },
  GUARD_NO_TERMINAL: policy(
    "While an agent that is guarded runs, a command without a terminal was to decide what agents may do, and whether the agent started it cannot be told.",
    "Run it in a terminal.",
    "none",
  ),
  GUARD_SETTINGS: {
    category: "input",
    fix: "Correct the file, or move it away, and run the command again; haft guard install --dry-run changes nothing.",
    receipt: "none",
  },
  INSIDE_SESSION: policy(
    "A command that a session of Haft, or a guarded agent, started was to do what only the user decides: answer approvals, forget records, add plugins, servers or nodes, trust a configuration, change the guard, or open the inspector.",
    "Tell the user what you need and why; they run the command themselves, in a terminal that no session and no agent started.",
    "none",
  ),
  INVALID_LINE: input(
    "A line for `haft run` is neither a call, nor a message, nor a control line.",
    "Send one JSON object a line; the guide to `haft run` lists the forms.",
    "none",
  ),
  MCP_SERVER_UNKNOWN: input(
    "There is no MCP server of this name.",
    "haft mcp list shows those there are.",
    "none",
  ),
  MCP_UNAVAILABLE: {
    category: "operational",
    fix: "Act on what the message says, and try again.",
    receipt: "none",
  },
  NODE_AMBIGUOUS: { category: "input", receipt: "none" },
  NODE_RUNS_ALREADY: {
    category: "input",
    fix: "End the other one. On another machine, give this one a state folder of its own: an identity is not copied.",
    receipt: "none",
  },
  NODE_UNKNOWN: { category: "input", receipt: "none" },
  PLUGIN_NOT_FOUND: {
    category: "operational",
    fix: "haft plugins list shows those that are named.",
    receipt: "none",
  },
  POLICY_UNREADABLE: {
    category: "input",
    fix: "Correct the file, or name another; rules that cannot be read are never left out.",
  },
  RUN_NOT_FOUND: {
    category: "input",
    fix: "`haft ledger list --all` shows the runs there are, `haft ledger show RUN` the calls of one.",
    receipt: "none",
  },
  SANDBOX_MOUNT_REFUSED: {
    category: "policy",
    fix: "Name the folder of the project itself, or leave the workspace out with workspaceAccess none.",
    receipt: "none",
  },
  SANDBOX_REQUIRED: {
    category: "policy",
    fix: "Give it one that is open, or create the host without sandbox: false. There is no fallback.",
    receipt: "none",
  },
  STATE_FOLDER_FAILED: {
    category: "operational",
    fix: "Name the folder that your hosts use, or an empty one; without --state and HAFT_STATE_DIR it is ~/.local/state/haft.",
    receipt: "none",
  },
}));
