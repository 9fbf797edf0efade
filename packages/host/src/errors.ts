import { defineErrors } from "@haft/core";

/** The errors of this package: a source of docs/reference/errors.md. Entries without a meaning are explained by another package. */
export const hostError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  CONFIG_INVALID: {
    category: "input",
    fix: "Correct the file; a configuration with a problem is not used at all.",
    receipt: "none",
  },
  CONFIG_UNSAFE: {
    category: "input",
    fix: "Take the others' rights away (chmod go-w), or give file and folder to this user; or name another file with --config.",
    receipt: "none",
  },
  FILE_NOT_FOUND: { category: "input", receipt: "none" },
  HOST_CLOSED: input(
    "A host, or the nodes of one, were asked for something after it was closed.",
    "Create another one.",
    "none",
  ),
  MCP_NETWORK_REFUSED: policy(
    "An MCP server would have more, or less, by where a session works than its operator gave it when it was added.",
    "Ask the operator: --network of haft mcp add says what a server reaches, --outside that it runs on the host itself.",
    "none",
  ),
  MCP_UNAVAILABLE: operational(
    "An MCP server cannot be added or run as it is configured: it could not be looked at, a variable is not set, or nothing here can open a view for it. The message says which.",
    "Act on what the message says, and try again.",
    "none",
  ),
  NODE_RUNS_ALREADY: input(
    "Another program is this node already: two would each get the messages of both.",
    "End the other one. On another machine, give this one a state folder of its own: an identity is not copied.",
    "none",
  ),
  OUTSIDE_WORKSPACE: { category: "policy", receipt: "none" },
  POLICY_UNREADABLE: {
    category: "input",
    fix: "Correct the file, or name another; rules that cannot be read are never left out.",
  },
  PREVIEW_ONLY: input(
    "Something was to be done in a preview of a sandboxed or contained session, which only looks.",
    "Open a session to do something.",
    "none",
  ),
  PROCESS_NOT_FOUND: { category: "input", fix: "List the processes of the session.", receipt: "none" },
  RUNTIME_TOO_OLD: operational(
    "The program runs on a Node that lacks what Haft needs.",
    "Run it with a newer Node; `node --version` says which one is started.",
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
  STDIN_CLOSED: { category: "operational", receipt: "none" },
  TOOL_HELD_BACK: policy(
    "Tools of a server are held back: nobody has looked at them yet, or they are described otherwise than they were when somebody did.",
    "Ask the operator to look at them; the message names the command that shows them.",
    "none",
  ),
}));
