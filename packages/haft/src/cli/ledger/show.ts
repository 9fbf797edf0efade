import { maskSecrets } from "@haft/core/internal/records";
import type { LedgerStore, RunRecord } from "@haft/core/kernel";
import { listRunCalls } from "@haft/history";
import { findRun } from "@haft/history/ledger";
import { formatTable } from "@haft/policy";
import { escapeInvisible, nearestNames } from "@haft/utils";
import { commandError } from "../../errors.ts";
import type { Values } from "../usage.ts";
import { describeCall } from "./describe/describe-call.ts";
import { callTable } from "./describe/describe-calls.ts";
import { describeRunStatus } from "./describe/describe-run.ts";
import { formatTimestamp } from "./describe/format-times.ts";
import { toConversationKey, type showOptions } from "./ledger-options.ts";
import { describeEmptyLedger, withLedger } from "./open-ledger.ts";

type Given = Values<typeof showOptions>;

export async function show(values: Given, [name = "", callId]: readonly string[]): Promise<number> {
  const code = await withLedger(values, async ({ ledger }) => {
    const run = await findRun(ledger, name, toConversationKey(values));
    if (callId !== undefined) return showCall(ledger, run, callId, values.json === true);
    const calls = await listRunCalls(ledger, run.runId);
    if (values.json) console.log(JSON.stringify({ run, calls: maskSecrets(calls) }));
    else
      console.log(
        [
          ...runLines(run),
          "",
          ...(calls.length === 0 ? ["It has no calls."] : callTable(calls, Date.now())),
        ].join("\n"),
      );
    return 0;
  });
  if (code !== undefined) return code;
  throw commandError("RUN_NOT_FOUND", describeEmptyLedger(values));
}

async function showCall(
  ledger: LedgerStore,
  run: RunRecord,
  callId: string,
  asJson: boolean,
): Promise<number> {
  const call = await ledger.call(run.runId, callId);
  if (call === undefined) throw await unknownCall(ledger, run, callId);
  console.log(asJson ? JSON.stringify({ run, call: maskSecrets(call) }) : describeCall(call));
  return 0;
}

async function unknownCall(ledger: LedgerStore, { runId }: RunRecord, callId: string) {
  const calls = await listRunCalls(ledger, runId);
  const near = nearestNames(
    callId,
    calls.map(({ toolCallId }) => toolCallId),
    3,
  );
  return commandError("RUN_NOT_FOUND", `The run ${runId} has no call ${JSON.stringify(callId)}.`, {
    fix:
      near.length > 0
        ? `Did you mean ${near.map(escapeInvisible).join(" or ")}?`
        : `\`haft ledger show ${runId}\` lists its calls.`,
  });
}

function runLines(run: RunRecord): string[] {
  const { runId, sessionKey, facts, workspace, mode, openedAt } = run;
  const target = workspace.place === "host" ? "" : ` (${workspace.place})`;
  return formatTable([
    ["run", runId],
    [
      "conversation",
      `${escapeInvisible(sessionKey)} (${facts.kind}, agent ${escapeInvisible(facts.agentId)})`,
    ],
    ["worked in", `${escapeInvisible(workspace.cwd)}${target}`],
    ["opened", `${formatTimestamp(openedAt)}, ${describeRunStatus(run)}`],
    ["recorded", mode],
  ]);
}
