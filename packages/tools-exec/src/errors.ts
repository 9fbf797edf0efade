import { defineErrors } from "@haft/plugin-sdk";

/** The source of docs/reference/errors.md. */
export const commandToolError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  COMMANDS_UNAVAILABLE: operational(
    "Commands cannot run in this session's workspace: it only has files.",
    "Work with the file tools, or ask the operator for a workspace with processes.",
    "none",
  ),
  ABORTED: {
    category: "operational",
    fix: "Side effects may have happened: look before you repeat it.",
    receipt: "unknown",
  },
  EDITOR_NEEDS_TERMINAL: input(
    "The command would wait in an editor, and there is no terminal.",
    "Set `pty: true`, or change the file with `edit` or `write`.",
    "none",
  ),
  EXEC_SELF_APPROVAL: policy(
    "This command would answer requests for approval, or change which plugins Haft loads or which configurations are trusted. Only the user decides that.",
    "Tell the user the need and the reason. The user answers at the request.",
    "none",
  ),
  EXEC_UNAVAILABLE: policy(
    "The call requests an option that this session does not have, such as another host, elevation, an allowlist or an approval, or sets `security=deny`.",
    "Call again without the named option, or ask the user.",
    "none",
  ),
  INVALID_ARGUMENTS: { category: "input", fix: "Correct the named arguments.", receipt: "none" },
  // Workspaces report the loss of a runner, these errors for one command.
  RUNNER_LOST: { category: "operational", receipt: "unknown" },
  SANDBOX_LOST: { category: "operational", receipt: "unknown" },
  SCRIPT_FAILED: operational(
    "The script ended with an exit code other than 0.",
    "Its earlier effects remain: look before you repeat it.",
    "unknown",
  ),
  SCRIPT_TIMED_OUT: operational(
    "The script took longer than its timeout and was ended.",
    "Its earlier effects remain: look before you repeat it.",
    "unknown",
  ),
  SESSION_BUSY: input(
    "The action is not possible while the command runs, or while the call that started it waits.",
    "Wait for it, or use kill to end it.",
    "none",
  ),
  PROCESS_NOT_FOUND: {
    category: "input",
    fix: "Use process list to see the sessions. Ended sessions are removed after a while.",
    receipt: "none",
  },
  // @haft/workspace explains this error.
  STDIN_CLOSED: {
    category: "operational",
    fix: "To send input to a command, start it with background: true or pty: true.",
    receipt: "none",
  },
}));
