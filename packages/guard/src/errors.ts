import { defineErrors } from "@haft/core";

/** Source of docs/reference/errors.md. */
export const guardError = /* @__PURE__ */ defineErrors(({ input }) => ({
  GUARD_PAYLOAD: input(
    "The guard could not read the payload from an agent, so it denied the call.",
    "Update Haft if the agent is newer. haft guard try AGENT < PAYLOAD shows how Haft reads a payload.",
  ),
  GUARD_AGENT_UNKNOWN: input(
    "The agent is unknown.",
    "Name claude, codex, gemini, copilot, cursor, opencode, pi or openclaw.",
  ),
  GUARD_SETTINGS: input(
    "The guard was not installed or removed, because settings of a coding agent or the rules for it are invalid.",
    "Correct or move the file, and run the command again. haft guard install --dry-run changes nothing.",
    "none",
  ),
  POLICY_UNREADABLE: {
    category: "input",
    fix: "Correct the file, or name another. Unreadable rules are never ignored.",
  },
  PACKAGE_MISSING: {
    category: "operational",
    fix: "Install the package: `npm install haft`.",
    receipt: "none",
  },
}));
