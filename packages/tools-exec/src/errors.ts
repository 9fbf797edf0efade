import { defineErrors } from "@haft/plugin-sdk";

/** The errors of this package: the source of docs/reference/errors.md. */
export const commandToolError = /* @__PURE__ */ defineErrors({
  COMMANDS_UNAVAILABLE: {
    category: "operational",
    meaning: "Commands cannot run in this session's workspace: it only has files.",
    fix: "Work with the file tools, or ask the operator for a workspace with processes.",
    receipt: "none",
  },
  COMMAND_ABORTED: {
    category: "operational",
    meaning: "The call was aborted, and its command was ended, with everything that carries its mark.",
    fix: "Side effects may have happened: look before you repeat it.",
    receipt: "unknown",
  },
  COMMAND_EMPTY: {
    category: "input",
    meaning: "There is no command in the call.",
    fix: "Put the shell command into `command`.",
    receipt: "none",
  },
  EXEC_ALLOWLIST_UNAVAILABLE: {
    category: "policy",
    meaning: "The call asks for `security=allowlist`, and no list is configured.",
    fix: "Leave out security: policy has already decided about this call.",
    receipt: "none",
  },
  EXEC_APPROVAL_UNAVAILABLE: {
    category: "policy",
    meaning: "The call asks for `ask=always`, and nobody can be asked.",
    fix: "Ask the user yourself, then call again without ask; or let policy ask for every command.",
    receipt: "none",
  },
  EXEC_DENIED: {
    category: "policy",
    meaning: "The call itself says `security=deny`.",
    fix: "Leave out security to run what policy allows.",
    receipt: "none",
  },
  EXEC_ELEVATED_UNAVAILABLE: {
    category: "policy",
    meaning: "The call asks for elevation, which is not available here.",
    fix: "Call again without elevated.",
    receipt: "none",
  },
  EXEC_HOST_UNAVAILABLE: {
    category: "policy",
    meaning: "The wished `host` or `node` is not where this session runs commands.",
    fix: "Leave out `host` and `node` if it may run here.",
    receipt: "none",
  },
  EXEC_SELF_APPROVAL: {
    category: "policy",
    meaning:
      "This command would answer requests for approval. Those are decided by the user, not by whoever asks.",
    fix: "Tell the user what you need and why; they answer where they are asked.",
    receipt: "none",
  },
  INPUT_MISSING: {
    category: "input",
    meaning: "An input or resize action has nothing to send.",
    fix: "Set what the message names.",
    receipt: "none",
  },
  // What workspaces raise when what runs commands goes away; here it is told of one command.
  RUNNER_LOST: { category: "operational", receipt: "unknown" },
  SANDBOX_LOST: { category: "operational", receipt: "unknown" },
  SCRIPT_FAILED: {
    category: "operational",
    meaning: "The script ended with another exit code than 0.",
    fix: "What it did before that remains: look before you repeat it.",
    receipt: "unknown",
  },
  SCRIPT_TIMED_OUT: {
    category: "operational",
    meaning: "The script took longer than its timeout and was ended.",
    fix: "What it did before that remains: look before you repeat it.",
    receipt: "unknown",
  },
  SESSION_ID_REQUIRED: {
    category: "input",
    meaning: "The action needs a `sessionId`.",
    fix: "See process list for the sessions there are.",
    receipt: "none",
  },
  SESSION_NOT_BACKGROUNDED: {
    category: "input",
    meaning: "The call that started the command still waits for it.",
    fix: "The call that started it still waits and will answer with its output.",
    receipt: "none",
  },
  SESSION_NOT_FOUND: {
    category: "input",
    meaning: "This session has no such command.",
    fix: "See process list for the sessions there are; ended ones are forgotten after a while.",
    receipt: "none",
  },
  SESSION_RUNNING: {
    category: "input",
    meaning: "The command is still running, so it cannot be cleared.",
    fix: "Use kill to end it, or remove to end and forget it.",
    receipt: "none",
  },
  // Explained where workspaces raise it.
  STDIN_CLOSED: {
    category: "operational",
    fix: "To talk to a command, start it with background: true or with pty: true.",
    receipt: "none",
  },
  UNKNOWN_ACTION: {
    category: "input",
    meaning: "There is no such action.",
    fix: "Use one of those that the message names.",
    receipt: "none",
  },
});
