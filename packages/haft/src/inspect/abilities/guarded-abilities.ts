import { withoutUndefined } from "@haft/core";
import type { RunRecord } from "@haft/core/kernel";
import type { AbleSession, GuardedAbilities } from "@haft/inspector";
import type { Looking } from "../looking.ts";

/** Calls that are counted, the newest. */
const MOST = 1_000;

/** What is known of an agent that another program runs: what its hook was asked, and nothing about what it can do. */
export async function guardedAbilities(
  looking: Looking,
  session: AbleSession,
  { runId, workspace }: RunRecord,
): Promise<GuardedAbilities> {
  const { items } = await looking.ledger().calls({ runId, limit: MOST });
  const [{ allSettings }, byTool] = [
    await import("../../guard/settings/all-settings.ts"),
    Map.groupBy(items, ({ toolName }) => toolName),
  ];
  const tools = [...byTool].map(([name, calls]) => ({
    name,
    calls: calls.length,
    denied: calls.filter(({ status }) => status === "failed").length,
    waiting: calls.filter(({ status }) => status === "pending").length,
  }));
  return withoutUndefined({
    type: "guarded" as const,
    session,
    client: workspace.place,
    folder: workspace.cwd,
    asked: { calls: items.length, tools: tools.toSorted((one, other) => other.calls - one.calls) },
    notClosed: allSettings.get(workspace.place)?.open ?? [],
  });
}
