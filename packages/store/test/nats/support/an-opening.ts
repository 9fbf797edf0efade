import type { RunOpening } from "@haft/core/internal";

/** What a session opens, for programs without a test around them. */
export function anOpening(parts: Partial<RunOpening> = {}): RunOpening {
  return {
    sessionKey: "s",
    facts: { kind: "main", agentId: "main", model: "", messageChannel: "" },
    workspace: { place: "host", cwd: "/work" },
    mode: "plan",
    ...parts,
  };
}
