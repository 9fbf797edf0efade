import { defineErrors } from "@haft/plugin-sdk";

/** The errors of this package. docs/reference/errors.md is generated from them. */
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
    "This command would answer requests for approval, or change which plugins Haft loads or which configurations are trusted. That is decided by the user, not by whoever asks.",
    "Tell the user what you need and why; they answer where they are asked.",
    "none",
  ),
  EXEC_UNAVAILABLE: policy(
    "The call asks for something that is not configured in this session, such as another host, elevation, an allowlist or an approval; or says `security=deny` itself.",
    "Call again without what the message names, or ask the user.",
    "none",
  ),
  INVALID_ARGUMENTS: { category: "input", fix: "Correct what the message names.", receipt: "none" },
  // Workspaces report the loss of a runner; these errors report it for one command.
  RUNNER_LOST: { category: "operational", receipt: "unknown" },
  SANDBOX_LOST: { category: "operational", receipt: "unknown" },
  SCRIPT_FAILED: operational(
    "The script ended with another exit code than 0.",
    "What it did before that remains: look before you repeat it.",
    "unknown",
  ),
  SCRIPT_TIMED_OUT: operational(
    "The script took longer than its timeout and was ended.",
    "What it did before that remains: look before you repeat it.",
    "unknown",
  ),
  SESSION_BUSY: input(
    "The command still runs, or the call that started it still waits for it, so the action is not possible.",
    "Wait for it, or use kill to end it.",
    "none",
  ),
  PROCESS_NOT_FOUND: {
    category: "input",
    fix: "See process list for the sessions there are; ended ones are forgotten after a while.",
    receipt: "none",
  },
  // @haft/workspace explains this error.
  STDIN_CLOSED: {
    category: "operational",
    fix: "To talk to a command, start it with background: true or with pty: true.",
    receipt: "none",
  },
}));
