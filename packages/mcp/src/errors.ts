import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const mcpError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  MCP_ADDRESS_TAKEN: operational(
    "The server cannot listen at this address; the message says why.",
    "End what listens there, or choose another port.",
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
  MCP_STATE_MISMATCH: input(
    "A request that goes on with an earlier one has to have its tool and its arguments.",
    "Make the call without `requestState`; it then is another one.",
    "none",
  ),
}));
