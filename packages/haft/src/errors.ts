import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const hostError = /* @__PURE__ */ defineErrors({
  APPROVAL_ID_TAKEN: {
    category: "internal",
    meaning: "… cannot be the name of something new.",
    fix: "Ask again: it gets another id.",
  },
  APPROVER_GONE: {
    category: "operational",
    meaning:
      "Thrown by an approver whose connection broke: the call goes on waiting for an answer from somewhere else.",
    fix: "Nothing: answer it elsewhere, e.g. with `haft approvals`.",
  },
  FILE_NOT_FOUND: {
    category: "input",
    meaning: "Nothing has this path.",
    fix: "Check the path; the message names what is near. List the folder to see what is there.",
  },
  INVALID_OPTIONS: {
    category: "input",
    meaning: "An option does not exist, or is not what it has to be. Nothing was opened.",
    fix: "Correct it; the message names the nearest one.",
  },
  OUTSIDE_WORKSPACE: {
    category: "policy",
    meaning: "The path leads outside the workspace, directly or through a link.",
    fix: "Use a path inside the workspace, or ask for the folder to be added as a root.",
  },
  POLICY_UNREADABLE: {
    category: "input",
    meaning: "…: …",
    fix: "Correct the file, or name another; rules that cannot be read are never left out.",
  },
  PREVIEW_ONLY: {
    category: "input",
    meaning: "Something was to be done in a preview of a sandboxed session, which only looks.",
    fix: "Open a session.",
  },
  PROCESS_NOT_FOUND: {
    category: "input",
    meaning: "There is no such process in this workspace.",
    fix: "List the processes to see which there are.",
  },
  SANDBOX_AMBIGUOUS: {
    category: "input",
    meaning: "A session was given a workspace and a sandbox; one of them would have been ignored.",
    fix: "Give one of them.",
  },
  SANDBOX_MOUNT_REFUSED: {
    category: "policy",
    meaning:
      "A folder is not mounted into a sandbox: it holds more than a project (the home folder, the system, temporary files, what Haft keeps), is one of credentials, was replaced, has code in it that a mount cannot hold, or could be written inside though it is to be read-only.",
    fix: "Name the folder of the project itself, or mount none.",
  },
  SANDBOX_REQUIRED: {
    category: "policy",
    meaning:
      "A sandboxed session needs a sandboxed workspace, and this one is on the host. There is no fallback.",
    fix: "Open it with a sandbox workspace, or open a group session on the host.",
  },
  SANDBOX_UNAVAILABLE: {
    category: "operational",
    meaning:
      "No sandbox can be opened on this machine; the reason of each backend is in the message. Nothing was run on the host instead.",
    fix: "Do what the message says; `haft sandbox doctor` says more.",
  },
  SANDBOX_UNSUPPORTED: {
    category: "input",
    meaning:
      "The sandbox was asked for something its backend cannot hold: a list of hosts, an image, a lifetime.",
    fix: "Leave it out, or choose a backend that can.",
  },
  STATE_FOLDER_RELATIVE: {
    category: "input",
    meaning:
      "The folder for Haft's state is given relative to wherever Haft is started, so it could lie inside the workspace.",
    fix: "Give an absolute path.",
  },
});
