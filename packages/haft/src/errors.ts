import { defineErrors } from "@haft/core";
import { commandErrors } from "./command-errors.ts";
import { inspectErrors } from "./inspect-errors.ts";
import { placeErrors } from "./place-errors.ts";

/** The errors of this package: a source of docs/reference/errors.md. Those without a meaning are explained elsewhere. */
export const hostError = /* @__PURE__ */ defineErrors(({ input, internal, operational, policy }) => ({
  ...commandErrors({ input, internal, operational, policy }),
  ...inspectErrors({ input, internal, operational, policy }),
  ...placeErrors({ input, internal, operational, policy }),
  APPROVALS_OF_SESSION: policy(
    "A command that runs in a session of Haft was to answer requests for approval, or to take grants back, which is for the user to decide.",
    "Tell the user what waits and why; they answer it themselves, in a terminal that no session started.",
    "none",
  ),
  APPROVER_GONE: operational(
    "Thrown by an approver whose connection broke: the call goes on waiting for an answer from somewhere else.",
    "Nothing: answer it elsewhere, e.g. with `haft approvals`.",
  ),
  AUDIT_UNAVAILABLE: operational(
    "The audit log that a configuration or a host names cannot be written, or is not its user's alone. Sessions are not opened then; where it happens later, calls are treated as where the ledger cannot be written.",
    "See to it that this user, and nobody else, can write the file and its folder, make room on the disk, or take `audit` out.",
    "none",
  ),
  CALL_UNKNOWN: input(
    "A run was asked for a call that it does not have.",
    "`haft ledger show RUN` lists the calls of a run.",
    "none",
  ),
  CANCELLED: { category: "operational", receipt: "none" },
  CONFIG_AMBIGUOUS: input(
    "Two configurations lie where one is looked for, so one of them would be ignored.",
    "Put both into one file, or name one with --config.",
    "none",
  ),
  CONFIG_EXISTS: input(
    "`haft init` was to write a configuration where one is already.",
    "Change that file, or move it away first; haft config show says what it says.",
    "none",
  ),
  CONFIG_INVALID: input(
    "A configuration cannot be read, or says something that it cannot say.",
    "Correct the file; a configuration with a problem is not used at all.",
    "none",
  ),
  CONFIG_UNTRUSTED: policy(
    "A configuration of a workspace, or a module that it loads, is not what its owner trusted.",
    "Look at what changed; haft trust FILE trusts what is there now.",
    "none",
  ),
  CONFIG_UNSAFE: input(
    "The user's own configuration, or a file of rules that a reload found, could have been written by somebody else.",
    "Take the others' rights away (chmod go-w), or give file and folder to this user; or name another file with --config.",
    "none",
  ),
  CONFIG_UNWRITABLE: operational(
    "`haft init` cannot write the configuration where it belongs.",
    "Give this user the right to write there; XDG_CONFIG_HOME names another place for your own.",
  ),
  FILE_NOT_FOUND: { category: "input", receipt: "none" },
  GUARD_NO_TERMINAL: policy(
    "While an agent that is guarded runs, a command without a terminal was to decide what agents may do, and whether the agent started it cannot be told.",
    "Run it in a terminal.",
    "none",
  ),
  GUARD_OF_SESSION: policy(
    "A command that an agent started was to install or remove the guard, or to decide something else that holds agents, which is for the user to decide.",
    "Tell the user what you need and why; they run the command themselves, in a terminal that no agent started.",
    "none",
  ),
  GUARD_SETTINGS: input(
    "The settings of a coding agent, or the rules that should hold it, are not as they have to be for the guard to be installed or removed.",
    "Correct the file, or move it away, and run the command again; haft guard install --dry-run changes nothing.",
    "none",
  ),
  HOST_CLOSED: input("A host was asked for something after it was closed.", "Create another one.", "none"),
  INVALID_LINE: input(
    "A line for `haft run` is neither a call, nor a message, nor a control line.",
    "Send one JSON object a line; the guide to `haft run` lists the forms.",
    "none",
  ),
  LEDGER_OF_SESSION: policy(
    "A command that runs in a session of Haft was to forget what was recorded of calls, which is for the user to decide.",
    "Tell the user what should be forgotten and why; they run the command themselves.",
    "none",
  ),
  LEFT_UNSEARCHED: operational(
    "A command was to run outside of its view while what contained commands left is still searched for what others would run, and that took longer than a minute. The command was not started.",
    "End what contained commands still have running in the background and call again: the search goes on meanwhile.",
    "none",
  ),
  MANIFEST_UNWRITABLE: operational(
    "`haft plugins manifest --write` cannot write its file beside the package.json of the plugin.",
    "Give this user the right to write there, or print it: haft plugins manifest.",
    "none",
  ),
  MANIFEST_WRONG: {
    category: "operational",
    fix: "Install another version, or have its author make it anew: `haft plugins manifest --write`.",
    receipt: "none",
  },
  OUTSIDE_WORKSPACE: { category: "policy", receipt: "none" },
  PACKAGE_FOLDER_UNUSABLE: operational(
    "The folder beside a configuration, where plugins are installed, cannot be read or written.",
    "Give the folder to this user, or name another configuration with --config.",
    "none",
  ),
  PACKAGE_MISSING: operational(
    "A part of Haft is a package of its own, which is not installed beside `haft`.",
    "Run the line that the message gives; it installs the same version.",
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
  PACKAGE_MANAGER_MISSING: operational(
    "There is no package manager here, or not the one that the folder is installed with.",
    "Install npm, pnpm, yarn or bun, and have it on the PATH, in a folder that only you and root may write to.",
    "none",
  ),
  PLUGIN_CHANGED: operational(
    "A plugin is not what it was when it was tried and its tools were told to models and policies, so they are not run.",
    "Start Haft again: then it is tried as it is now.",
    "none",
  ),
  PLUGIN_EXITED: operational(
    "A plugin called `process.exit`. That would have ended the host and all its sessions, and was not done.",
    "Report it to the plugin's author: a tool throws, and leaves the process to its host.",
  ),
  PLUGIN_UNHANDLED: operational(
    "A promise that a plugin made failed, and nobody waited for it; or a timer or a listener of it threw. That would have ended the host and all its sessions.",
    "Report it to the plugin's author: what a call starts it waits for, or catches.",
  ),
  PLUGIN_NOT_NAMED: input(
    "No configuration names a plugin like that.",
    "haft plugins list shows those that are named.",
    "none",
  ),
  PLUGIN_UNLOADABLE: {
    category: "operational",
    fix: "Start Haft again, or leave the plugin out; `haft plugins why` says more.",
    receipt: "none",
  },
  MCP_ADD_FAILED: operational(
    "An MCP server could not be added, since what it said could not be looked at; the message says why. Nothing was changed.",
    "Act on what it says, and add it again.",
    "none",
  ),
  MCP_NETWORK_REFUSED: policy(
    "An MCP server would have more, or less, by where a session works than its operator gave it when it was added.",
    "Ask the operator: --network of haft mcp add says what a server reaches, --outside that it runs on the host itself.",
    "none",
  ),
  MCP_OF_SESSION: policy(
    "A command that runs in a session of Haft was to say which MCP servers there are, which is for the user to decide.",
    "Tell the user what you need and why; they run the command themselves.",
    "none",
  ),
  MCP_SERVER_UNKNOWN: input(
    "There is no MCP server of this name.",
    "haft mcp list shows those there are.",
    "none",
  ),
  MCP_UNCONTAINED: operational(
    "An MCP server is to run in a view of this machine, and nothing here can open one.",
    "See haft sandbox doctor; haft mcp add --outside runs the server on the machine as it is, with all rights of the user.",
    "none",
  ),
  MCP_VARIABLE_MISSING: input(
    "What is said of an MCP server names a variable that is not set where Haft was started.",
    "Set it there, or say another value.",
    "none",
  ),
  NODES_OF_SESSION: policy(
    "A command that runs in a session of Haft was to say which other machines may be called, or what this one offers, which is for the user to decide.",
    "Tell the user what you need and why; they run the command themselves.",
    "none",
  ),
  NODES_UNCONFIGURED: input(
    "Where hosts and nodes meet, or what this machine offers, is said nowhere, or cannot be used; the message says what is missing.",
    "Say it in your own configuration: `nodes: { server: nats://… }` on hosts, `node: { server: nats://…, offer: [read] }` on a node.",
    "none",
  ),
  NODE_AMBIGUOUS: { category: "input", receipt: "none" },
  NODE_UNKNOWN: { category: "input", receipt: "none" },
  NODE_OFFER_INVALID: input(
    "A tool that this machine is to offer to hosts is none, or its sessions may not call it; the message has the reasons.",
    "Correct `node.offer`, or the rules; `haft node show` says what is offered.",
    "none",
  ),
  NODE_RUNS_ALREADY: input(
    "Another program is this node already: two would each get the messages of both.",
    "End the other one. On another machine, give this one a state folder of its own: an identity is not copied.",
    "none",
  ),
  PLUGINS_OF_SESSION: policy(
    "A command that runs in a session of Haft was to add or remove plugins, which is for the user to decide.",
    "Tell the user what you need and why; they run the command themselves.",
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
  RUN_AMBIGUOUS: input(
    "The beginning of a run's id was given, and several runs begin with it.",
    "Give more of the id: `haft ledger list --all` shows the runs there are.",
    "none",
  ),
  RUN_UNKNOWN: input(
    "No run and no conversation that was recorded has the name that was given.",
    "`haft ledger list --all` shows those there are.",
    "none",
  ),
  SANDBOX_AMBIGUOUS: input(
    "A session was given a workspace and a sandbox; one of them would have been ignored.",
    "Leave out workspace; a sandbox that is open already is given as sandbox.",
    "none",
  ),
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
  SERVE_TOKEN_INVALID: input(
    "A token by which clients open sessions cannot be used; the message says why.",
    "Write one into a file that nobody else may read: `umask 077; openssl rand -base64 32 > FILE`.",
    "none",
  ),
  STATE_FOLDER_UNUSABLE: input(
    "What is named as the folder for Haft's state is a file, cannot be read, or holds other things.",
    "Name the folder that your hosts use, or an empty one; without --state and HAFT_STATE_DIR it is ~/.local/state/haft.",
    "none",
  ),
  UNDO_ELSEWHERE: input(
    "The session changed its files in another folder or place, and they are only ever put back there.",
    "Name its folder with `--workspace`.",
    "none",
  ),
  STDIN_CLOSED: { category: "operational", receipt: "none" },
  TOOL_HELD_BACK: policy(
    "Tools of a server are held back: nobody has looked at them yet, or they are described otherwise than they were when somebody did.",
    "Ask the operator to look at them; the message names the command that shows them.",
    "none",
  ),
  TRUST_OF_SESSION: policy(
    "A command that runs in a session of Haft was to say which configurations are trusted, which is for the user to decide.",
    "Tell the user what you need and why; they run the command themselves.",
    "none",
  ),
}));
