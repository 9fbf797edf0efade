import { defineErrors } from "@haft/core";

/** The source of docs/reference/errors.md. */
export const commandError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  APPROVER_GONE: operational(
    "An approver throws it if its connection breaks. The call still waits for another answer.",
    "Answer with another program, such as `haft approvals`.",
  ),
  CONFIG_EXISTS: input(
    "`haft config init` found an existing configuration.",
    "Edit that file, or move it away first; `haft config show` prints its values.",
    "none",
  ),
  CONFIG_INVALID: {
    category: "input",
    fix: "Correct the file; Haft ignores a configuration with a problem completely.",
    receipt: "none",
  },
  FILE_NOT_FOUND: { category: "input", receipt: "none" },
  FILE_UNWRITABLE: {
    category: "operational",
    fix: "Allow this user to write there, or name another file with --config.",
  },
  GUARD_NO_TERMINAL: policy(
    "A command without a terminal tried to decide about agents while a guarded agent was running. Haft cannot tell whether that agent started the command.",
    "Run the command in a terminal.",
    "none",
  ),
  GUARD_SETTINGS: {
    category: "input",
    fix: "Correct the file or move it away, and run the command again; `haft guard install --dry-run` changes nothing.",
    receipt: "none",
  },
  INSIDE_SESSION: policy(
    "A session of Haft or a guarded agent started a command that is reserved for the user: to answer approvals, forget records, add plugins, servers or nodes, trust a configuration, change the guard, or open the inspector.",
    "Explain to the user what you need and why. The user can run the command in a terminal that no session and no agent started.",
    "none",
  ),
  INVALID_LINE: input(
    "A line of input for `haft run` is not a call, a message or a control line.",
    "Send one JSON object per line; the guide to `haft run` lists the forms.",
    "none",
  ),
  MCP_SERVER_UNKNOWN: input("No MCP server has this name.", "Run `haft mcp list` for the names.", "none"),
  MCP_UNAVAILABLE: {
    category: "operational",
    fix: "Correct the cause in the message, and try again.",
    receipt: "none",
  },
  NODE_AMBIGUOUS: { category: "input", receipt: "none" },
  NODE_RUNS_ALREADY: {
    category: "input",
    fix: "End the other program. On another machine, use a separate state folder: do not copy an identity.",
    receipt: "none",
  },
  NODE_UNKNOWN: { category: "input", receipt: "none" },
  PLUGIN_NOT_FOUND: {
    category: "operational",
    fix: "Run `haft plugins list` for the configured plugins.",
    receipt: "none",
  },
  POLICY_UNREADABLE: {
    category: "input",
    fix: "Correct the file, or name another; Haft never ignores rules that it cannot read.",
  },
  RUN_ELSEWHERE: {
    category: "input",
    fix: "The program that opened this run continues it. Without `--resume`, a new run starts.",
    receipt: "none",
  },
  RUN_NOT_FOUND: {
    category: "input",
    fix: "Run `haft ledger list --all` for all runs, and `haft ledger show RUN` for the calls of one run.",
    receipt: "none",
  },
  SANDBOX_MOUNT_REFUSED: {
    category: "policy",
    fix: "Name the folder of the project itself, or exclude the workspace with `workspaceAccess: none`.",
    receipt: "none",
  },
  SANDBOX_REQUIRED: {
    category: "policy",
    fix: "Pass an open sandbox, or create the host without `sandbox: false`. There is no fallback.",
    receipt: "none",
  },
  STATE_FOLDER_FAILED: {
    category: "operational",
    fix: "Name the folder that your hosts use, or an empty folder; without --state and HAFT_STATE_DIR it is ~/.local/state/haft.",
    receipt: "none",
  },
}));
