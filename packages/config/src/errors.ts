import { defineErrors } from "@haft/core";

/** Defines the errors of this package, a source of docs/reference/errors.md. Other packages explain entries without a meaning. */
export const configError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  CONFIG_INVALID: input(
    "A configuration cannot be read, says something that it cannot say, lacks what a command needs, or lies beside another one. It also stands for a token of `serve` that cannot be used, and for tools that a node cannot offer. The message says which.",
    "Correct the file; a configuration with a problem is not used at all.",
    "none",
  ),
  CONFIG_UNSAFE: input(
    "The user's own configuration, or a file of rules that a reload found, could have been written by somebody else.",
    "Take the others' rights away (chmod go-w), or give file and folder to this user; or name another file with --config.",
    "none",
  ),
  CONFIG_UNTRUSTED: policy(
    "A configuration of a workspace, or a module that it loads, is not what its owner trusted.",
    "Look at what changed; haft config trust FILE trusts what is there now.",
    "none",
  ),
  LEDGER_UNAVAILABLE: {
    category: "operational",
    fix: "See to it that this user, and nobody else, can write the file and its folder, make room on the disk, or take `audit` out.",
    receipt: "none",
  },
  PATH_RELATIVE: input(
    "HAFT_CONFIG, HAFT_POLICY or the state folder is given relative to wherever Haft is started, or HOME is no absolute path, so it could lie inside the workspace.",
    "Give an absolute path.",
    "none",
  ),
  PLUGIN_CHANGED: operational(
    "A plugin is not what it was when it was tried and its tools were told to models and policies, so they are not run.",
    "Start Haft again: then it is tried as it is now.",
    "none",
  ),
  POLICY_UNREADABLE: input(
    "A policy file cannot be read, or is no YAML or JSON that says one thing.",
    "Correct the file, or name another; rules that cannot be read are never left out.",
  ),
  SANDBOX_MOUNT_REFUSED: {
    category: "policy",
    fix: "Name the folder of the project itself, or leave the workspace out with workspaceAccess none.",
    receipt: "none",
  },
}));
