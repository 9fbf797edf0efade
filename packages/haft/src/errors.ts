import { defineErrors } from "@haft/core";
import { commandErrors } from "./command-errors.ts";
import { inspectErrors } from "./inspect-errors.ts";
import { pathErrors } from "./path-errors.ts";

/** The errors of this package: a source of docs/reference/errors.md. Those without a meaning are explained elsewhere. */
export const hostError = /* @__PURE__ */ defineErrors(({ input, internal, operational, policy }) => ({
  ...commandErrors({ input, internal, operational, policy }),
  ...inspectErrors({ input, internal, operational, policy }),
  ...pathErrors({ input, internal, operational, policy }),
  APPROVER_GONE: operational(
    "Thrown by an approver whose connection broke: the call goes on waiting for an answer from somewhere else.",
    "Nothing: answer it elsewhere, e.g. with `haft approvals`.",
  ),
  CANCELLED: { category: "operational", receipt: "none" },
  CONFIG_EXISTS: input(
    "`haft config init` was to write a configuration where one is already.",
    "Change that file, or move it away first; haft config show says what it says.",
    "none",
  ),
  CONFIG_INVALID: input(
    "A configuration cannot be read, says something that it cannot say, lacks what a command needs, or lies beside another one. It also stands for a token of `serve` that cannot be used, and for tools that a node cannot offer. The message says which.",
    "Correct the file; a configuration with a problem is not used at all.",
    "none",
  ),
  CONFIG_UNTRUSTED: policy(
    "A configuration of a workspace, or a module that it loads, is not what its owner trusted.",
    "Look at what changed; haft config trust FILE trusts what is there now.",
    "none",
  ),
  CONFIG_UNSAFE: input(
    "The user's own configuration, or a file of rules that a reload found, could have been written by somebody else.",
    "Take the others' rights away (chmod go-w), or give file and folder to this user; or name another file with --config.",
    "none",
  ),
  FILE_UNWRITABLE: operational(
    "A configuration, a manifest, the folder of installed plugins, or the file that `--out` names cannot be read or written where it belongs. The message names it.",
    "Give this user the right to write there, or name another place with --config.",
  ),
  FILE_NOT_FOUND: { category: "input", receipt: "none" },
  GUARD_NO_TERMINAL: policy(
    "While an agent that is guarded runs, a command without a terminal was to decide what agents may do, and whether the agent started it cannot be told.",
    "Run it in a terminal.",
    "none",
  ),
  GUARD_SETTINGS: input(
    "The settings of a coding agent, or the rules that should hold it, are not as they have to be for the guard to be installed or removed.",
    "Correct the file, or move it away, and run the command again; haft guard install --dry-run changes nothing.",
    "none",
  ),
  HOST_CLOSED: input(
    "A host, or the nodes of one, were asked for something after it was closed.",
    "Create another one.",
    "none",
  ),
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
  LEDGER_UNAVAILABLE: {
    category: "operational",
    fix: "See to it that this user, and nobody else, can write the file and its folder, make room on the disk, or take `audit` out.",
    receipt: "none",
  },
  LEFT_UNSEARCHED: operational(
    "A command was to run outside of its view while what contained commands left is still searched for what others would run, and that took longer than a minute. The command was not started.",
    "End what contained commands still have running in the background and call again: the search goes on meanwhile.",
    "none",
  ),
  MANIFEST_WRONG: {
    category: "operational",
    fix: "Install another version, or have its author make it anew: `haft plugins manifest`.",
    receipt: "none",
  },
  OUTSIDE_WORKSPACE: { category: "policy", receipt: "none" },
  PACKAGE_MISSING: operational(
    "A package that a part of Haft or a test needs is not installed, or was installed without a part of it.",
    "Run the line that the message gives, or install the package that it names.",
    "none",
  ),
  PACKAGE_INSTALL_FAILED: operational(
    "The package manager did not install or remove a package of a plugin. Configuration, package.json and lockfile are what they were.",
    "See what it said.",
    "none",
  ),
  PACKAGE_INVALID: input(
    "What was to be added as a plugin is no package, no folder with one and no module.",
    "Write NAME or NAME@VERSION, ./folder, ./module.ts or ./package.tgz.",
    "none",
  ),
  PLUGIN_CHANGED: operational(
    "A plugin is not what it was when it was tried and its tools were told to models and policies, so they are not run.",
    "Start Haft again: then it is tried as it is now.",
    "none",
  ),
  PLUGIN_UNHANDLED: operational(
    "A plugin called `process.exit`, a promise of it failed that nobody waited for, or a timer or a listener of it threw. That would have ended the host and all its sessions, and did not.",
    "Report it to the plugin's author: a tool throws, and waits for what it starts or catches what that throws.",
  ),
  PLUGIN_NOT_FOUND: {
    category: "operational",
    fix: "haft plugins list shows those that are named.",
    receipt: "none",
  },
  PLUGIN_UNLOADABLE: {
    category: "operational",
    fix: "Start Haft again, or leave the plugin out; `haft plugins why` says more.",
    receipt: "none",
  },
  MCP_UNAVAILABLE: operational(
    "An MCP server cannot be added or run as it is configured: it could not be looked at, a variable is not set, or nothing here can open a view for it. The message says which.",
    "Act on what the message says, and try again.",
    "none",
  ),
  MCP_NETWORK_REFUSED: policy(
    "An MCP server would have more, or less, by where a session works than its operator gave it when it was added.",
    "Ask the operator: --network of haft mcp add says what a server reaches, --outside that it runs on the host itself.",
    "none",
  ),
  MCP_SERVER_UNKNOWN: input(
    "There is no MCP server of this name.",
    "haft mcp list shows those there are.",
    "none",
  ),
  NODE_AMBIGUOUS: { category: "input", receipt: "none" },
  NODE_UNKNOWN: { category: "input", receipt: "none" },
  NODE_RUNS_ALREADY: input(
    "Another program is this node already: two would each get the messages of both.",
    "End the other one. On another machine, give this one a state folder of its own: an identity is not copied.",
    "none",
  ),
  POLICY_UNREADABLE: input(
    "A policy file cannot be read, or is no YAML or JSON that says one thing.",
    "Correct the file, or name another; rules that cannot be read are never left out.",
  ),
  PREVIEW_ONLY: input(
    "Something was to be done in a preview of a sandboxed or contained session, which only looks.",
    "Open a session to do something.",
    "none",
  ),
  PROCESS_NOT_FOUND: { category: "input", fix: "List the processes of the session.", receipt: "none" },
  REPOSITORY_OF_COMMANDS: policy(
    "A command was to run outside of its view in a repository that a contained command made or brought. Git starts what such a repository says.",
    "Run it contained; or look at the repository's .git/config and .git/hooks and make a clone of it on the host.",
    "none",
  ),
  REPLAY_UNAVAILABLE: operational(
    "Calls were to be made again, and that cannot be done here: all of them are commands and there is no sandbox, or the files they worked on are not known. Nothing ran.",
    "See haft sandbox doctor for sandboxes; --files names a folder with the files as they were; --policy compares decisions without running anything.",
    "none",
  ),
  REWIND_BUSY: {
    category: "operational",
    fix: "Wait for it, or end that session, and try again.",
    receipt: "none",
  },
  RUN_ELSEWHERE: { category: "input", fix: "Name its folder with `--workspace`.", receipt: "none" },
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
  SANDBOX_UNAVAILABLE: { category: "operational", receipt: "none" },
  SANDBOX_UNSUPPORTED: {
    category: "input",
    fix: "Leave out the image, or use the Docker backend.",
    receipt: "none",
  },
  STATE_FOLDER_FAILED: {
    category: "operational",
    fix: "Name the folder that your hosts use, or an empty one; without --state and HAFT_STATE_DIR it is ~/.local/state/haft.",
    receipt: "none",
  },
  STDIN_CLOSED: { category: "operational", receipt: "none" },
  TOOL_HELD_BACK: policy(
    "Tools of a server are held back: nobody has looked at them yet, or they are described otherwise than they were when somebody did.",
    "Ask the operator to look at them; the message names the command that shows them.",
    "none",
  ),
}));
