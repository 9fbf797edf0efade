import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const mcpError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  MCP_ADDRESS_TAKEN: operational(
    "The server cannot listen at this address; the message says why.",
    "Where it is in use: end what listens there, or choose another port. Else give an address that this machine has.",
    "none",
  ),
  MCP_ANSWER_INVALID: operational(
    "What an MCP server answered is not what the protocol has; the message says what is wrong with it.",
    "Look at what the call did before you repeat it; report it to the author of the server.",
    "unknown",
  ),
  MCP_ANSWER_TOO_LARGE: operational(
    "An MCP server answered with more than is taken, or wrote faster than it could be read. The answer is lost, and the server goes on.",
    "Ask for less at once. What the call did, it did.",
    "unknown",
  ),
  MCP_AUTHORIZATION_NEEDED: operational(
    "An MCP server wants its operator to sign in, and nobody has, or what was given does not hold any more.",
    "Ask the operator to run `haft mcp login NAME`.",
    "none",
  ),
  MCP_BUSY: operational(
    "As many calls run in this session as may at once. This one was not begun.",
    "Wait for an answer, then call again.",
    "none",
  ),
  MCP_CLIENT_SILENT: operational(
    "A tool asked the client for something, which it cannot answer or did not; the message says which.",
    "Do without it, or take a client that can be asked.",
  ),
  MCP_NOT_OPENED: operational(
    "The session in which the tools of this server run could not be opened; the message says why.",
    "Act on what it says; what is wrong is where the server was started.",
    "none",
  ),
  MCP_OPTIONS_INVALID: input(
    "An MCP server is described in a way that it cannot be reached by; the message says what is wrong.",
    "Correct what is said of the server.",
    "none",
  ),
  MCP_SERVER_LOST: operational(
    "An MCP server went away while it had a call, so what the call did is not known. The next call starts it again.",
    "Look at what the call did before you repeat it.",
    "unknown",
  ),
  MCP_SERVER_TIMEOUT: operational(
    "An MCP server did not answer in the time it had. It was told to stop, and is started anew if it does not answer at all any more.",
    "Look at what the call did before you repeat it; `timeoutMs` of the server gives it more time.",
    "unknown",
  ),
  MCP_SERVER_UNAVAILABLE: operational(
    "An MCP server could not be started or reached, or refused the request unread; the message has its last words. It is tried again, after a while that grows with each failure.",
    "Do it without the server, or try again later. Where it was added, `haft mcp show NAME` tells its operator how it is reached.",
    "none",
  ),
  MCP_STATE_MISMATCH: input(
    "A request that goes on with an earlier one has to have its tool and its arguments.",
    "Make the call without `requestState`; it then is another one.",
    "none",
  ),
  MCP_TOOL_CHANGED: policy(
    "The server describes this tool otherwise than its operator accepted, so it is held back. Nothing was called.",
    "Do it without the tool; ask the operator to run `haft mcp review NAME`, which shows the difference.",
    "none",
  ),
  MCP_TOOL_FAILED: operational(
    "The tool of an MCP server failed; the message has its words.",
    "Act on what it says.",
    "unknown",
  ),
  MCP_TOOL_GONE: operational(
    "The server does not offer this tool any more.",
    "Do it without the tool; ask the operator to run `haft mcp review NAME`.",
    "none",
  ),
}));
