import type { Policy, SessionKind, ToolFacts } from "@haft/core";
import { sessionKinds } from "./policy-config.ts";
import { textTable } from "./text-table.ts";

const legend = {
  allow: "may be called",
  ask: "each call needs approval",
  grant: "denied until the policy grants it",
  deny: "denied by a rule",
};

/** Session kinds × tools as a text table with a legend: what this policy lets each kind of session do. */
export function formatMatrix(policy: Policy, tools: readonly ToolFacts[], agentId = ""): string {
  const sessions = sessionKinds.map((kind) =>
    policy.forSession({ kind, agentId, model: "", messageChannel: "" }),
  );
  const used = new Set<string>();
  const rows = tools.map((tool) => [
    tool.builtIn ? tool.name : tool.id,
    ...sessions.map((session) => {
      const { effect, trace } = session.call(tool, undefined);
      const denials = trace.filter(({ verdict }) => verdict === "deny");
      const ungranted = denials.every(({ layer }) => layer === "grant" || layer === "optional");
      const word = effect === "deny" && ungranted ? "grant" : effect;
      used.add(word);
      return word;
    }),
  ]);
  const header = ["tool", ...(sessionKinds as readonly SessionKind[])];
  const meanings = Object.entries(legend).filter(([word]) => used.has(word));
  return `${[...textTable([header, ...rows]), "", ...textTable(meanings)].join("\n")}\n`;
}
