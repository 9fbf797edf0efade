import type { Policy, ToolFacts } from "@haft/core";
import { matrixLabel, matrixLegend, readMatrix, sessionKinds, textTable } from "@haft/policy";

/** Session kinds × tools as a text table with a legend: what this policy lets each kind of session do. */
export function formatMatrix(policy: Policy, tools: readonly ToolFacts[], agentId = ""): string {
  const rows = readMatrix(policy, tools, agentId);
  const body = rows.map(({ name, cells }) => [
    name,
    ...sessionKinds.map((kind) => matrixLabel(cells[kind]).label),
  ]);
  const legend = matrixLegend(rows).map(([word, meaning, note]) => [note ?? word, meaning]);
  return `${[...textTable([["tool", ...sessionKinds], ...body]), "", ...textTable(legend)].join("\n")}\n`;
}
