import { disableRecording } from "@haft/config/internal/audit";
import { summarizeCall } from "@haft/core";
import { maskSecrets } from "@haft/core/internal/records";
import type { RecordedRun } from "@haft/history";
import { replanCall, simulateDecisions, type SimulatedDecision } from "@haft/history/replay";
import { createHost } from "@haft/host";
import { replaceConfiguredPolicy } from "@haft/host/internal/host";
import { formatTable } from "@haft/policy";
import { escapeInvisible } from "@haft/utils";
import { statSync } from "node:fs";
import { readPolicyValues } from "../session-arguments.ts";

export async function showSimulatedDecisions(
  runs: readonly RecordedRun[],
  values: { policy?: string; json?: boolean },
): Promise<number> {
  const { policy = "" } = values;
  await readPolicyValues({ policy });
  const decisions: SimulatedDecision[] = [];
  for (const { run, calls } of runs) {
    const { cwd } = run.workspace;
    const isThere = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true;
    const host = await createHost(
      disableRecording(
        replaceConfiguredPolicy({ config: true, policy, ...(isThere && { workspaceDir: cwd }) }),
      ),
    );
    try {
      // Outside the run's folder, paths mean other files.
      const plan = isThere ? replanCall.bind(undefined, host) : async () => undefined;
      decisions.push(...(await simulateDecisions(host.policy, run, calls, plan)));
    } finally {
      await host.close();
    }
  }
  const changed = decisions.filter(isChanged);
  const unsaid = decisions.filter(({ before, after }) => before === undefined || after === undefined);
  if (values.json)
    console.log(
      JSON.stringify({
        decisions: decisions.map(({ call, ...decision }) => ({
          toolCallId: call.toolCallId,
          toolName: call.toolName,
          ...decision,
          changes: isChanged({ call, ...decision }),
        })),
      }),
    );
  else console.log(format(decisions, changed, unsaid, policy));
  return changed.length > 0 ? 1 : unsaid.length > 0 ? 3 : 0;
}

function isChanged({ before, after }: SimulatedDecision): boolean {
  return before !== undefined && after !== undefined && before !== after;
}

function format(
  all: readonly SimulatedDecision[],
  changed: readonly SimulatedDecision[],
  unsaid: readonly SimulatedDecision[],
  policy: string,
): string {
  const same = all.length - changed.length - unsaid.length;
  const summary = `By ${escapeInvisible(policy)}: ${changed.length} of ${all.length} decisions would change, ${same} stay; ${unsaid.length} are unknown. Nothing ran.`;
  return [
    summary,
    rows("Would change", changed, ({ before, after }) => `${before} -> ${after}`),
    rows("Unknown", unsaid, ({ before = "?", after = "?" }) => `${before} -> ${after}`),
    all.some(({ planned }) => planned) ? "* The plan was computed again, from the present files." : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function rows(
  title: string,
  decisions: readonly SimulatedDecision[],
  change: (decision: SimulatedDecision) => string,
): string {
  if (decisions.length === 0) return "";
  const table = formatTable(
    decisions.map((decision) => [
      escapeInvisible(decision.call.toolCallId),
      change(decision),
      summarizeCall(decision.call.toolName, maskSecrets(decision.call.args ?? {}), { format: "plain" }),
      `${escapeInvisible(decision.reason)}${decision.planned ? " *" : ""}`,
    ]),
  );
  return [title, ...table.map((line) => `  ${line}`)].join("\n");
}
