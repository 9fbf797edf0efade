import { defineErrors } from "@haft/core";

/** The source of docs/reference/errors.md. */
export const mcpError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  MCP_ADDRESS_TAKEN: operational(
    "The server cannot listen at this address; the message gives the reason.",
    "If the port is in use, stop the other program or choose another port. Otherwise use an address of this machine.",
    "none",
  ),
  MCP_ANSWER_INVALID: operational(
    "An MCP server's answer violates the protocol; the message describes the violation.",
    "Check the effects of the call before you repeat it. Report the error to the server's author.",
    "unknown",
  ),
  MCP_ANSWER_TOO_LARGE: operational(
    "An MCP server's answer exceeds the limit, or the server wrote faster than Haft could read. The answer is lost; the server continues.",
    "Request less at once. Effects of the call remain.",
    "unknown",
  ),
  MCP_AUTHORIZATION_NEEDED: operational(
    "An MCP server requires a sign-in, but its operator has not signed in or the credentials are no longer valid.",
    "Ask the operator to run `haft mcp login NAME`.",
    "none",
  ),
  MCP_BUSY: operational(
    "This session already runs the maximum number of parallel calls. This call was not started.",
    "Wait for a result, then call again.",
    "none",
  ),
  MCP_CLIENT_SILENT: operational(
    "A tool sent a request to the client, which does not support it or did not answer; the message gives the reason.",
    "Work without the answer, or use a client that supports such requests.",
  ),
  MCP_NOT_OPENED: operational(
    "The session for this server's tools could not be opened; the message gives the reason.",
    "Fix the reason in the message on the machine where the server was started.",
    "none",
  ),
  MCP_OPTIONS_INVALID: input(
    "The settings of an MCP server are invalid; the message describes the problem.",
    "Correct the settings of the server.",
    "none",
  ),
  MCP_SERVER_LOST: operational(
    "An MCP server disappeared during a call, so the effects of the call are unknown. The next call starts it again.",
    "Check the effects of the call before you repeat it.",
    "unknown",
  ),
  MCP_SERVER_TIMEOUT: operational(
    "An MCP server did not answer in time. The call was cancelled; if the server is unresponsive, the next call restarts it.",
    "Check the effects of the call before you repeat it. The server's `timeoutMs` sets a longer timeout.",
    "unknown",
  ),
  MCP_SERVER_UNAVAILABLE: operational(
    "An MCP server could not be started or reached, or rejected the request unread; the message contains its last output. Later calls try it again, with a growing delay.",
    "Work without the server, or try again later. Its operator can check its settings with `haft mcp show NAME`.",
    "none",
  ),
  MCP_STATE_MISMATCH: input(
    "A request with `requestState` must have the tool and the arguments of the earlier request.",
    "Make a new call without `requestState`.",
    "none",
  ),
  MCP_TOOL_CHANGED: policy(
    "The server's description of this tool differs from the accepted description, so the tool was not called.",
    "Work without the tool. Ask the operator to review the difference with `haft mcp review NAME`.",
    "none",
  ),
  MCP_TOOL_FAILED: operational(
    "The tool of an MCP server failed; the message contains its error.",
    "Correct the cause that the message names. Check the effects of the call before you repeat it.",
    "unknown",
  ),
  MCP_TOOL_GONE: operational(
    "The server no longer offers this tool.",
    "Work without the tool. Ask the operator to run `haft mcp review NAME`.",
    "none",
  ),
}));
