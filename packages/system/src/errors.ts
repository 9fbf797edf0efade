import { defineErrors } from "@haft/core";

/** The source of docs/reference/errors.md. */
export const systemError = /* @__PURE__ */ defineErrors(({ operational }) => ({
  HOST_PROGRAM_CHANGED: operational(
    "A program that Haft starts itself, or the Node that runs it, is not the file any more that this host found: replaced, written to, or its rights or links changed.",
    "Nothing was started. Find out who changed it. After an intended change, such as an upgrade, restart the host.",
  ),
  HOST_PROGRAM_MISSING: operational(
    "A program that Haft starts itself is not on the PATH of the host, not where the operator said, or only where others could have put it: in a root of a session, in `node_modules`, or where another user may write. The message lists each place and why.",
    "Install it, in a folder of the PATH of this program.",
  ),
  STATE_FOLDER_FAILED: operational(
    "A file or folder of the state cannot be read or written, other users can change it, or the folder for the state has other content.",
    "See to rights and space, or name another folder: `stateDir` of the host, `--state` or `HAFT_STATE_DIR`.",
  ),
}));
