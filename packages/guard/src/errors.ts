import { defineErrors } from "@haft/core";

/** Errors of this package; docs/reference/errors.md is generated from them. */
export const guardError = /* @__PURE__ */ defineErrors(({ input }) => ({
  GUARD_PAYLOAD: input(
    "What an agent sent to its hook could not be read, so the call was denied.",
    "Update Haft if the agent is newer; haft guard try AGENT < PAYLOAD shows what was read.",
  ),
  GUARD_AGENT_UNKNOWN: input(
    "There is no such agent.",
    "Name one of claude, codex, gemini, copilot, cursor, opencode, pi and openclaw.",
  ),
  GUARD_SETTINGS: input(
    "The settings of a coding agent, or the rules that should hold it, are not as they have to be for the guard to be installed or removed.",
    "Correct the file, or move it away, and run the command again; haft guard install --dry-run changes nothing.",
    "none",
  ),
  POLICY_UNREADABLE: {
    category: "input",
    fix: "Correct the file, or name another; rules that cannot be read are never left out.",
  },
  PACKAGE_MISSING: { category: "operational", fix: "Install it: `npm install haft`.", receipt: "none" },
}));
