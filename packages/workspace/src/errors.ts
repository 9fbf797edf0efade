import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const workspaceError = /* @__PURE__ */ defineErrors({
  ABORTED: {
    category: "operational",
    meaning: "The call was aborted before anything was changed.",
    fix: "Call again if the change is still wanted.",
  },
  ENVIRONMENT_BLOCKED: {
    category: "policy",
    meaning:
      "These variables may not be set for a command, because they change which programs run or what those trust: ….",
    fix: "Leave them out, or put what they configure into the command itself; the operator can allow some of them.",
  },
  FILE_SYSTEM_FAILED: {
    category: "operational",
    meaning: "The file system reported an error without a code of its own here.",
    fix: "See the cause; the disk may be failing, or the mount gone.",
  },
  INVALID_PATH: {
    category: "input",
    meaning: "No file system can hold such a name.",
    fix: "Use names of at most 255 bytes each, without null bytes.",
  },
  INVALID_PROCESS: {
    category: "input",
    meaning: "These are no usable variables: ….",
    fix: "Use letters, digits and `_` in names, not a digit first, and text without NUL as values.",
  },
  PLATFORM_UNSUPPORTED: {
    category: "operational",
    meaning: "This part of Haft needs a POSIX system.",
    fix: "Run it in WSL or a container.",
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
  SANDBOX_NO_RUNNER: {
    category: "operational",
    meaning:
      "Nothing inside can serve: no Node and no shell that works, or what answers is not Haft's runner.",
    fix: "Use an image with Node 20 or later, or do what the message says.",
  },
  STATE_FOLDER_FAILED: {
    category: "operational",
    meaning: "A file or folder of the approvals cannot be read or written.",
    fix: "See to rights and space, or name another folder with `--state` or `HAFT_STATE_DIR`.",
  },
  STATE_FOLDER_UNSAFE: {
    category: "policy",
    meaning:
      "… is not a folder that this user has to themselves, so what it holds could be somebody else's decision.",
    fix: "Move it away, or name another folder with --state or HAFT_STATE_DIR.",
  },
});
