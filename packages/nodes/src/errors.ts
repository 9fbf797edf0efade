import { defineErrors } from "@haft/core";

/** The source of docs/reference/errors.md. */
export const nodesError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  HOST_CLOSED: { category: "input", fix: "Create the nodes again with `createNodes`.", receipt: "none" },
  NODE_AMBIGUOUS: input(
    "Several nodes have this name; the message contains their ids.",
    "Use the id of the node, or approve it under another name.",
    "none",
  ),
  NODE_ANSWER_INVALID: operational(
    "The node's answer violates its declaration: it is not a result, or it is too large.",
    "Check the effects of the call and the software on that node.",
    "unknown",
  ),
  NODE_APPROVAL_NEEDED: policy(
    "A person must approve this call on the node. It was not run, and an approval does not run it; the message contains the id.",
    "Answer the approval on the node with `haft approvals`. Then call again with the same parameters.",
    "none",
  ),
  NODE_BUSY: operational(
    "The node already runs the maximum number of commands, or is closing. This command was not started.",
    "Try again later.",
    "none",
  ),
  NODE_CHANGED: policy(
    "The node's declaration differs from the approved declaration. Nothing was started.",
    "Ask the operator to review and approve the changes.",
    "none",
  ),
  ABORTED: {
    category: "operational",
    fix: "Check the effects of the call before you call again.",
    receipt: "unknown",
  },
  NODE_FAILED: operational(
    "The command failed on the node, or the node could not open the workspace; the message contains its error.",
    "Correct the cause that the message names. Check the effects of the command before you repeat it.",
  ),
  NODE_COMMAND_TIMEOUT: operational(
    "The command exceeded its time and was cancelled.",
    "Check its effects. A larger `timeoutMs` gives it more time, up to the node's limit.",
    "unknown",
  ),
  NODE_NOT_OFFERED: input(
    "The node does not offer a command or workspace of this name, or offers less access to the workspace than requested.",
    "Request only what the node offers.",
    "none",
  ),
  NODE_DECLARATION_INVALID: operational(
    "The node's declaration is invalid or too large.",
    "Check the software on that node and its version.",
    "none",
  ),
  NODE_DENIED: policy(
    "The host's operator denies this command on every node, or on this node.",
    "Work without it, or ask the operator.",
    "none",
  ),
  NODE_NOT_ENDED: operational(
    "The node did not confirm the end of its workspace. It ends the workspace after a minute without a message of the host.",
    "Check the node when it is reachable again, before you start anything that must not run twice.",
    "unknown",
  ),
  PACKAGE_MISSING: {
    category: "operational",
    fix: "Run `npm install @nats-io/transport-node` where @haft/nodes is installed.",
    receipt: "none",
  },
  NATS_FAILED: {
    category: "operational",
    fix: "Start the server, or correct its address and the credentials. A server with permissions must know this identity. Then try again.",
    receipt: "none",
  },
  NODE_NEEDED: input(
    "The call names no node, and the command does not determine a single node.",
    "Use one of the nodes in the message.",
    "none",
  ),
  NODE_NOT_APPROVED: policy(
    "The operator has not approved the node or this command.",
    "Ask the operator for approval.",
    "none",
  ),
  NODE_NOT_DELIVERED: operational(
    "The call did not reach the node in time and will not run there.",
    "Call again.",
    "none",
  ),
  NODE_NOT_PAIRED: policy(
    "The node does not know this host, or has forgotten it.",
    "Pair them again with `pair` on both sides, and compare the codes.",
    "none",
  ),
  NODE_OPTIONS_INVALID: input(
    "An option of nodes, or an offered command or workspace, is invalid; the message describes the problem.",
    "Correct it.",
    "none",
  ),
  NODE_OUTCOME_UNKNOWN: operational(
    "The call was sent to the node, but its outcome is unknown, or its answer is no longer stored. It is never repeated automatically.",
    "Check its possible effects before you call again.",
    "unknown",
  ),
  NODE_PAIRING_FAILED: operational(
    "The pairing failed: it was cancelled, timed out, or a message was not from the other side.",
    "Start it again, and compare the codes on both sides.",
    "none",
  ),
  ARGUMENTS_TOO_LARGE: {
    category: "input",
    fix: "Send less, or use a file that the node can read.",
    receipt: "none",
  },
  NODE_RECORD_UNREADABLE: operational(
    "A stored decision about a node, or a node's record of a host, is unreadable. It is not ignored, because it may be a revocation.",
    "Correct the file, or remove it and pair them again.",
    "none",
  ),
  NODE_REFUSED: policy(
    "The node's own rules or limits, or a person there, refuse the call. Approvals of the host do not override them.",
    "Work without it, or ask the operator of the node.",
    "none",
  ),
  NODE_REVOKED: policy(
    "The operator has revoked the node.",
    "Work without it. To use it again, the operator must pair it again.",
    "none",
  ),
  NODE_UNKNOWN: input("No node has this id or name.", "Use one of the nodes in the message.", "none"),
  NODE_UNREACHABLE: operational(
    "The node does not answer. No call was sent to it.",
    "Check that the node runs and has a network connection. Then call again.",
    "none",
  ),
}));
