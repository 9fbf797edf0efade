import { defineErrors } from "@haft/plugin-sdk";

/** The errors of this package: the source of docs/reference/errors.md. */
export const commandToolError = /* @__PURE__ */ defineErrors({
  COMMANDS_UNAVAILABLE: {
    category: "operational",
    meaning: "Commands cannot run in this session's workspace: it only has files.",
    fix: "Work with the file tools, or ask the operator for a workspace with processes.",
  },
  COMMAND_ABORTED: {
    category: "operational",
    meaning: "The call was aborted, and its command was ended, with everything that carries its mark.",
    fix: "Side effects may have happened: look before you repeat it.",
  },
  COMMAND_EMPTY: {
    category: "input",
    meaning: "Provide a command to start.",
    fix: "Put the shell command into `command`.",
  },
  EXEC_SELF_APPROVAL: {
    category: "policy",
    meaning:
      "This command would answer requests for approval. Those are decided by the user, not by whoever asks.",
    fix: "Tell the user what you need and why; they answer where they are asked.",
  },
  STDIN_CLOSED: {
    category: "operational",
    meaning: "Session … takes no input: ….",
    fix: "To talk to a command, start it with background: true or with pty: true.",
  },
  UNKNOWN_ACTION: { category: "input", meaning: "Unknown action: …", fix: "Use one of …." },
});
