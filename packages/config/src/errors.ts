import { defineErrors } from "@haft/core";

/** Defines the errors of this package, a source of docs/reference/errors.md. Other packages explain entries without a meaning. */
export const configError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  CONFIG_INVALID: input(
    "A configuration cannot be read, contains an invalid setting, lacks a setting that a command needs, or is in the same folder as another configuration. The code also covers unusable tokens of `serve` and tools that a node cannot offer. The message names the reason.",
    "Correct the file. Haft uses no part of a configuration with an error.",
    "none",
  ),
  CONFIG_UNSAFE: input(
    "Another user could have written the user's configuration, or a policy file that a reload found.",
    "Remove write access for other users (chmod go-w), or make this user the owner of file and folder. Or name another file with --config.",
    "none",
  ),
  CONFIG_UNTRUSTED: policy(
    "A configuration of a workspace, or a module that it loads, differs from the trusted content.",
    "Review the changes. haft config trust FILE trusts the present content.",
    "none",
  ),
  LEDGER_UNAVAILABLE: {
    category: "operational",
    fix: "Let only this user write the file and its folder, free disk space, or remove `audit`.",
    receipt: "none",
  },
  PATH_RELATIVE: input(
    "HAFT_CONFIG, HAFT_POLICY, HOME or the state folder is a relative path, so it could point into the workspace.",
    "Set an absolute path.",
    "none",
  ),
  PLUGIN_CHANGED: operational(
    "A plugin changed after its trial. Models and policies saw other tools, so its tools do not run.",
    "Start Haft again. Haft then tries the new version.",
    "none",
  ),
  POLICY_UNREADABLE: input(
    "A policy file cannot be read, or is not valid and unambiguous YAML or JSON.",
    "Correct the file, or name another file. Haft never ignores rules that it cannot read.",
  ),
  SANDBOX_MOUNT_REFUSED: {
    category: "policy",
    fix: "Mount the folder of the project itself, or set workspaceAccess to none.",
    receipt: "none",
  },
}));
