import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const sandboxError = /* @__PURE__ */ defineErrors({
  ABORTED: {
    category: "operational",
    meaning: "The call was aborted before anything was changed.",
    fix: "Call again if the change is still wanted.",
  },
  CAPABILITY_MISSING: {
    category: "operational",
    meaning: "Cannot …: only a shell serves in this sandbox.",
    fix: "Do it another way, or open a sandbox whose image has Node 20 or later: its runner can.",
  },
  INVALID_OPTIONS: {
    category: "input",
    meaning: "An option does not exist, or is not what it has to be. Nothing was opened.",
    fix: "Correct it; the message names the nearest one.",
  },
  READ_ONLY: {
    category: "policy",
    meaning: "The path is in a read-only place, a start file of the user, or code the host loads.",
    fix: "Write somewhere else, or ask for the root to be opened for writing.",
  },
  ROOT_INVALID: {
    category: "input",
    meaning: "A workspace cannot be opened with these roots.",
    fix: "Name an existing folder for every root, each folder once.",
  },
  SANDBOX_LOST: {
    category: "operational",
    meaning:
      "The sandbox has ended while it was used: killed, out of memory, its daemon gone. The receipt says what is known of the call.",
    fix: "Repeat the call: the sandbox is opened again. With the receipt `unknown`, look first.",
  },
  SANDBOX_MOUNT_REFUSED: {
    category: "policy",
    meaning:
      "A folder is not mounted into a sandbox: it holds more than a project (the home folder, the system, temporary files, what Haft keeps), is one of credentials, was replaced, has code in it that a mount cannot hold, or could be written inside though it is to be read-only.",
    fix: "Name the folder of the project itself, or mount none.",
  },
  SANDBOX_NO_RUNNER: {
    category: "operational",
    meaning:
      "Nothing inside can serve: no Node and no shell that works, or what answers is not Haft's runner.",
    fix: "Use an image with Node 20 or later, or do what the message says.",
  },
  SANDBOX_SETUP_FAILED: {
    category: "operational",
    meaning:
      "The setup script of the sandbox failed, so the session was not opened. What it did until then may be there.",
    fix: "Correct the script; the end of its output is in `details`.",
  },
  SANDBOX_UNSUPPORTED: {
    category: "input",
    meaning:
      "The sandbox was asked for something its backend cannot hold: a list of hosts, an image, a lifetime.",
    fix: "Leave it out, or choose a backend that can.",
  },
});
