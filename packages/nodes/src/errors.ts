import { defineErrors } from "@haft/core";

/** The source of docs/reference/errors.md. */
export const nodesError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  HOST_CLOSED: { category: "input", fix: "Open them again.", receipt: "none" },
  NODE_AMBIGUOUS: input(
    "Several nodes have this name; the message has their ids.",
    "Name the one that is meant by its id, or give one of them another name.",
    "none",
  ),
  NODE_ANSWER_INVALID: operational(
    "What the node answered is not what its declaration promises: not a result, or a larger one.",
    "Look at what the call did, and at what runs on that node.",
    "unknown",
  ),
  NODE_APPROVAL_NEEDED: policy(
    "On the node, a person has to agree to this call first. It was not run, and does not run once they do; the message has the id.",
    "Have it answered on the node, where `haft approvals` shows it; then call again with the same parameters.",
    "none",
  ),
  NODE_BUSY: operational(
    "The node runs as many commands as it may at once, or is about to end. This one was not begun.",
    "Try again later.",
    "none",
  ),
  NODE_CHANGED: policy(
    "What the node offers is not what the operator approved any more. Nothing was begun.",
    "Ask the operator to look at what changed, and to approve it.",
    "none",
  ),
  ABORTED: { category: "operational", fix: "Look at what it did before you call again.", receipt: "unknown" },
  NODE_FAILED: operational(
    "The command failed on the node, or the workspace could not be opened there; the message has its words.",
    "Act on what it says.",
  ),
  NODE_COMMAND_TIMEOUT: operational(
    "The command did not end in the time it had, and was told to stop.",
    "Look at what it did; give it more time with `timeoutMs`, as far as the node allows.",
    "unknown",
  ),
  NODE_NOT_OFFERED: input(
    "The node does not offer a command or workspace of this name, or less of the workspace than was asked for.",
    "Ask for what it offers.",
    "none",
  ),
  NODE_DECLARATION_INVALID: operational(
    "What a node says it offers cannot be read, or is too much.",
    "Look at what runs on that node, and whether it is of a newer version.",
    "none",
  ),
  NODE_DENIED: policy(
    "The host's operator lets nobody call this command on any node, or on this one.",
    "Do without it, or ask the operator.",
    "none",
  ),
  NODE_NOT_ENDED: operational(
    "The node does not say that what runs in its workspace has ended. It ends it by itself when it has not heard of its host for a minute.",
    "Look at the node when it can be reached again, before you begin anything that must not run twice.",
    "unknown",
  ),
  PACKAGE_MISSING: {
    category: "operational",
    fix: "Run `npm install @nats-io/transport-node` beside @haft/nodes.",
    receipt: "none",
  },
  NATS_FAILED: {
    category: "operational",
    fix: "Start the server, or correct its address and the credentials; one with permissions has to know this identity. Then try again.",
    receipt: "none",
  },
  NODE_NEEDED: input(
    "The call names no node, and there is not just one that it could mean.",
    "Name one of those in the message.",
    "none",
  ),
  NODE_NOT_APPROVED: policy(
    "The operator has not approved the node, or not this command of it.",
    "Ask the operator to approve it.",
    "none",
  ),
  NODE_NOT_DELIVERED: operational(
    "The call did not come to the node, or too late, and will not run there any more.",
    "Call again.",
    "none",
  ),
  NODE_NOT_PAIRED: policy(
    "The node does not know this host, or not any more.",
    "Pair them again: `pair` on both sides, and compare the codes.",
    "none",
  ),
  NODE_OPTIONS_INVALID: input(
    "An option of nodes, or a command or workspace that a node is to offer, cannot be used; the message says which.",
    "Correct it.",
    "none",
  ),
  NODE_OUTCOME_UNKNOWN: operational(
    "The call was sent to the node, and it is not known whether it ran, or its answer is not kept any more. It is never sent again by itself.",
    "Look at what it may have done before you call again.",
    "unknown",
  ),
  NODE_PAIRING_FAILED: operational(
    "The pairing was not finished: somebody broke it off, it took too long, or what came was not from the other side.",
    "Begin it again, and compare the codes on both sides.",
    "none",
  ),
  ARGUMENTS_TOO_LARGE: {
    category: "input",
    fix: "Send less, or put it into a file that the node can read.",
    receipt: "none",
  },
  NODE_RECORD_UNREADABLE: operational(
    "What was decided about a node, or which host a node knows, cannot be read. It is not taken for nothing: it may be a revocation.",
    "Correct the file, or remove it and pair them anew.",
    "none",
  ),
  NODE_REFUSED: policy(
    "The rules of the node itself, its limits or a person there refuse the call, whatever the host approved.",
    "Do without it, or ask whoever runs the node.",
    "none",
  ),
  NODE_REVOKED: policy(
    "The operator has revoked the node.",
    "Do without it; to use it again, it is paired anew.",
    "none",
  ),
  NODE_UNKNOWN: input("There is no node of this id or name.", "Name one of those in the message.", "none"),
  NODE_UNREACHABLE: operational(
    "The node does not answer. Nothing was sent to it but the wish to speak to it.",
    "See to it that it runs and has its network; then call again.",
    "none",
  ),
}));
