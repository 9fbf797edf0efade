import { defineErrors } from "@haft/core";

/** The source of docs/reference/errors.md. Other packages explain entries without a meaning. */
export const hostError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  CONFIG_INVALID: {
    category: "input",
    fix: "Correct the file. Haft uses no part of a configuration with an error.",
    receipt: "none",
  },
  CONFIG_UNSAFE: {
    category: "input",
    fix: "Remove write access for other users (chmod go-w), or make this user the owner of file and folder. Or name another file with --config.",
    receipt: "none",
  },
  FILE_NOT_FOUND: { category: "input", receipt: "none" },
  HOST_CLOSED: input(
    "A program used a host or its nodes after they were closed.",
    "Create another host.",
    "none",
  ),
  MCP_NETWORK_REFUSED: policy(
    "In the workspace of this session, an MCP server would have another network than its operator allowed with `haft mcp add`.",
    "Ask the operator to add the server again: --network of haft mcp add sets its network, --outside runs it on the host itself.",
    "none",
  ),
  MCP_UNAVAILABLE: operational(
    "An MCP server cannot be added or run as configured: its tools cannot be read, a variable is not set, or this machine cannot open a view for it. The message names the reason.",
    "Correct the problem in the message, and try again.",
    "none",
  ),
  NODE_RUNS_ALREADY: input(
    "Another program already runs as this node. Two programs would each get the messages of both.",
    "End the other program. On another machine, use a separate state folder: an identity must not be copied.",
    "none",
  ),
  OUTSIDE_WORKSPACE: { category: "policy", receipt: "none" },
  POLICY_UNREADABLE: {
    category: "input",
    fix: "Correct the file, or name another file. Haft never ignores rules that it cannot read.",
  },
  PREVIEW_ONLY: input(
    "A program tried to change or start something in the preview of a session. A preview is read-only.",
    "Open a session.",
    "none",
  ),
  PROCESS_NOT_FOUND: { category: "input", fix: "List the processes of the session.", receipt: "none" },
  RUNTIME_TOO_OLD: operational(
    "The program runs on a version of Node that Haft does not support.",
    "Run it with a newer Node. `node --version` prints the current version.",
    "none",
  ),
  SANDBOX_MOUNT_REFUSED: {
    category: "policy",
    fix: "Mount the folder of the project itself, or set workspaceAccess to none.",
    receipt: "none",
  },
  SANDBOX_REQUIRED: {
    category: "policy",
    fix: "Pass an open sandbox, or create the host without sandbox: false. There is no fallback.",
    receipt: "none",
  },
  SANDBOX_UNAVAILABLE: { category: "operational", receipt: "none" },
  SANDBOX_UNSUPPORTED: {
    category: "input",
    fix: "Remove the image, or use the Docker backend.",
    receipt: "none",
  },
  STDIN_CLOSED: { category: "operational", receipt: "none" },
  TOOL_HELD_BACK: policy(
    "Tools of a server are blocked: no operator has accepted them yet, or their descriptions changed since the acceptance.",
    "Ask the operator to review them. The message names the command that shows them.",
    "none",
  ),
}));
