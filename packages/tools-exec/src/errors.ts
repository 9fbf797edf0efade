import { defineErrors } from "@haft/plugin-sdk";

/** The errors of this package: the source of docs/reference/errors.md. */
export const commandToolError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  COMMANDS_UNAVAILABLE: operational(
    "Commands cannot run in this session's workspace: it only has files.",
    "Work with the file tools, or ask the operator for a workspace with processes.",
    "none",
  ),
  COMMAND_ABORTED: operational(
    "The call was aborted, and its command was ended. The message says with what.",
    "Side effects may have happened: look before you repeat it.",
    "unknown",
  ),
  COMMAND_EMPTY: input("There is no command in the call.", "Put the shell command into `command`.", "none"),
  EDITOR_NEEDS_TERMINAL: input(
    "The command would wait in an editor, and there is no terminal.",
    "Set `pty: true`, or change the file with `edit` or `write`.",
    "none",
  ),
  EXEC_ALLOWLIST_UNAVAILABLE: policy(
    "The call asks for `security=allowlist`, and no list is configured.",
    "Leave out security: policy has already decided about this call.",
    "none",
  ),
  EXEC_APPROVAL_UNAVAILABLE: policy(
    "The call asks for `ask=always`, and nobody can be asked.",
    "Ask the user yourself, then call again without ask; or let policy ask for every command.",
    "none",
  ),
  EXEC_DENIED: policy(
    "The call itself says `security=deny`.",
    "Leave out security to run what policy allows.",
    "none",
  ),
  EXEC_ELEVATED_UNAVAILABLE: policy(
    "The call asks for elevation, which is not available here.",
    "Call again without elevated.",
    "none",
  ),
  EXEC_FORWARD_INVALID: input("`forward` stands beside `outside`.", "Leave out one of them.", "none"),
  EXEC_HOST_INVALID: input(
    "`network` names what is no host, or one that contained commands never reach, or stands beside `outside`.",
    "Name hosts one by one, such as packages.example.com or packages.example.com:8080; no address of a page, no *, not this machine.",
    "none",
  ),
  EXEC_HOST_UNAVAILABLE: policy(
    "The wished `host` or `node` is not where this session runs commands.",
    "Leave out `host` and `node` if it may run here.",
    "none",
  ),
  EXEC_OUTSIDE_UNAVAILABLE: policy(
    "The call asks to leave the view that commands are contained in, for another host or for a port of it, and no policy here decides about that.",
    "Call again without outside, network and forward, or ask the user.",
    "none",
  ),
  EXEC_REASON_MISSING: input(
    "The call asks to run outside of the view that commands are contained in, and does not say why.",
    "Say in `reason`, in one line, why it cannot run contained; or leave out `outside`.",
    "none",
  ),
  EXEC_SELF_APPROVAL: policy(
    "This command would answer requests for approval, or change which plugins Haft loads or which configurations are trusted. That is decided by the user, not by whoever asks.",
    "Tell the user what you need and why; they answer where they are asked.",
    "none",
  ),
  INPUT_MISSING: input(
    "An input or resize action has nothing to send.",
    "Set what the message names.",
    "none",
  ),
  KEY_UNKNOWN: input(
    "An entry of `keys` looks like a key and is none. Typed as text it might be a command.",
    "Use a key that the message names; put text into `literal`.",
    "none",
  ),
  // What workspaces raise when what runs commands goes away; here it is told of one command.
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
  SESSION_ID_REQUIRED: input(
    "The action needs a `sessionId`.",
    "See process list for the sessions there are.",
    "none",
  ),
  SESSION_NOT_BACKGROUNDED: input(
    "The call that started the command still waits for it.",
    "The call that started it still waits and will answer with its output.",
    "none",
  ),
  SESSION_NOT_FOUND: input(
    "This session has no such command.",
    "See process list for the sessions there are; ended ones are forgotten after a while.",
    "none",
  ),
  SESSION_RUNNING: input(
    "The command is still running, so it cannot be cleared.",
    "Use kill to end it, or remove to end and forget it.",
    "none",
  ),
  // Explained where workspaces raise it.
  STDIN_CLOSED: {
    category: "operational",
    fix: "To talk to a command, start it with background: true or with pty: true.",
    receipt: "none",
  },
  UNKNOWN_ACTION: input("There is no such action.", "Use one of those that the message names.", "none"),
}));
