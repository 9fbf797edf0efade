import { defineErrors } from "@haft/core";

/** The errors of this package: the source of docs/reference/errors.md. */
export const guardError = /* @__PURE__ */ defineErrors(({ input }) => ({
  GUARD_PAYLOAD: input(
    "What an agent sent to its hook could not be read, so the call was denied.",
    "Update Haft if the agent is newer; haft guard try AGENT < PAYLOAD shows what was read.",
  ),
  GUARD_AGENT_UNKNOWN: input(
    "There is no such agent.",
    "Name one of claude, codex, gemini, copilot, cursor, opencode, pi and openclaw.",
  ),
}));
