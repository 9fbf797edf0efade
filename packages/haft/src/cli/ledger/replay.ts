import { snapshotsFolder } from "@haft/config/internal/boundary";
import { summarizeCall } from "@haft/core";
import { maskSecrets } from "@haft/core/internal/records";
import { listRunCalls, findRuns, type RecordedRun } from "@haft/history";
import { isUndo } from "@haft/history/ledger";
import { type ReplayedCall, type OpeningFiles, replayRun } from "@haft/history/replay";
import { createHost } from "@haft/host";
import { SnapshotStore } from "@haft/host/internal/snapshots";
import { createDirectoryJournal } from "@haft/tools-fs";
import { didYouMean, escapeInvisible, nearestNames } from "@haft/utils";
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { commandError } from "../../errors.ts";
import { listenForSignals } from "../call/signal-listener.ts";
import { refuseInSession } from "../refuse-in-session.ts";
import { UsageError, type Values } from "../usage.ts";
import { toConversationKey, type replayOptions } from "./ledger-options.ts";
import { describeEmptyLedger, withLedger } from "./open-ledger.ts";
import { showSimulatedDecisions } from "./simulated-decisions.ts";

type Given = Values<typeof replayOptions>;

/** 1 means a difference. */
const NOT_DONE = 4;

export async function replayCommand(values: Given, [name = ""]: readonly string[]): Promise<number> {
  try {
    return await replayNamed(name, values);
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    const { reportError } = await import("../report-error.ts");
    reportError(thrown, values.json === true);
    return NOT_DONE;
  }
}

async function replayNamed(name: string, values: Given): Promise<number> {
  if (values.policy !== undefined && (values.live !== undefined || values.files !== undefined))
    throw new UsageError("--policy compares decisions and runs nothing; omit --live and --files.");
  const loaded = await withLedger(values, async ({ ledger }, folder) => {
    const runs: RecordedRun[] = [];
    for (const run of await findRuns(ledger, name, toConversationKey(values)))
      if (!isUndo(run)) runs.push({ run, calls: await listRunCalls(ledger, run.runId) });
    return { runs, folder };
  });
  if (loaded === undefined) throw commandError("RUN_NOT_FOUND", describeEmptyLedger(values));
  if (values.policy !== undefined) return showSimulatedDecisions(loaded.runs, values);
  for (const tool of values.live ?? []) requireTool(loaded.runs, tool);
  refuseInSession("run recorded calls again");
  return playAgain(loaded.runs, loaded.folder, values);
}

async function playAgain(runs: readonly RecordedRun[], stateDir: string, values: Given): Promise<number> {
  const leaving = listenForSignals();
  try {
    return await playUntil(leaving.signal, runs, stateDir, values);
  } catch (thrown) {
    const code = leaving.code();
    if (code === undefined) throw thrown;
    console.error("haft: the replay ended before its last call.");
    return code;
  } finally {
    leaving.end();
  }
}

async function playUntil(
  signal: AbortSignal,
  runs: readonly RecordedRun[],
  stateDir: string,
  values: Given,
): Promise<number> {
  const asJson = values.json === true;
  const given = values.files === undefined ? undefined : readFolder(values.files);
  const snapshots = new SnapshotStore(snapshotsFolder(stateDir));
  const journal = createDirectoryJournal(join(stateDir, "journal"));
  const all: Awaited<ReturnType<typeof replayRun>>[] = [];
  for (const { run, calls } of runs) {
    all.push(
      await replayRun(run, calls, {
        sources: {
          snapshots,
          journal,
          filesFolder: given,
          workspace: async () => (await createHost({ workspaceDir: run.workspace.cwd, stateDir })).workspace,
        },
        live: values.live ?? [],
        host: { config: true },
        signal,
        onFiles(files, uncontained) {
          if (asJson) return;
          const without =
            uncontained === undefined ? [] : [`Commands do not run again. ${escapeInvisible(uncontained)}`];
          const title = `Run ${run.runId}, in a copy of ${escapeInvisible(run.workspace.cwd)}`;
          console.log([title, ...unsureLines(files), ...without, ""].join("\n"));
        },
        onCall(replayed) {
          if (!asJson) console.log(describeReplayed(replayed));
        },
      }),
    );
  }
  const verdicts = all.flatMap(({ calls }) => calls.map(({ verdict }) => verdict));
  if (asJson)
    console.log(
      JSON.stringify({
        runs: all.map(({ run, files, uncontained, calls }) => ({
          runId: run.runId,
          sessionKey: run.sessionKey,
          files,
          ...(uncontained !== undefined && { uncontained }),
          calls: calls.map(({ call, ...rest }) => ({
            toolCallId: call.toolCallId,
            toolName: call.toolName,
            ...rest,
          })),
        })),
      }),
    );
  else console.log(`\n${summaryOf(verdicts)}`);
  return verdicts.includes("differs") ? 1 : verdicts.includes("unsaid") ? 3 : 0;
}

/** A misspelt name would have no effect. */
function requireTool(runs: readonly RecordedRun[], name: string): void {
  const calls = runs.flatMap((run) => run.calls);
  if (calls.some(({ toolName, tool }) => toolName === name || tool?.id === name)) return;
  const names = [...new Set(calls.filter(({ status }) => status !== "gap").map(({ toolName }) => toolName))];
  const hint = didYouMean(nearestNames(name, names));
  const there = names.length === 0 ? "" : ` Called tools: ${names.map(escapeInvisible).join(", ")}.`;
  throw new UsageError(`--live: there are no calls of a tool ${JSON.stringify(name)}.${hint || there}`);
}

function readFolder(path: string): string {
  const folder = resolve(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new UsageError(`--files: there is no folder ${folder}.`);
}

const WORDS: Readonly<Record<ReplayedCall["verdict"], string>> = {
  same: "same",
  differs: "DIFFERS",
  record: "from the record",
  unsaid: "unknown",
};

function describeReplayed({ call, verdict, why, diff }: ReplayedCall): string {
  const line = summarizeCall(call.toolName, maskSecrets(call.args ?? {}), { format: "plain" });
  const title = `${WORDS[verdict].padEnd(15)}  ${escapeInvisible(call.toolCallId)}  ${line}`;
  const indent = " ".repeat(17);
  return [
    title,
    ...(why === undefined ? [] : [`${indent}${escapeInvisible(why)}`]),
    ...(diff ?? "")
      .split("\n")
      .flatMap((text) =>
        text === "" ? [] : [`${indent}${text.split("\t").map(escapeInvisible).join("\t")}`],
      ),
  ].join("\n");
}

const NAMED = 8;

function unsureLines({ how, unsure }: OpeningFiles): string[] {
  const named = unsure.slice(0, NAMED).map(({ path, why }) => `  ${escapeInvisible(path)}: ${why}`);
  const more = unsure.length > NAMED ? [`  … and ${unsure.length - NAMED} more`] : [];
  return [how, ...(unsure.length === 0 ? [] : ["Changed, or possibly changed:", ...named, ...more])];
}

/** `5 the same, 1 differs.` */
function summaryOf(verdicts: readonly ReplayedCall["verdict"][]): string {
  const count = (verdict: ReplayedCall["verdict"]) => verdicts.filter((one) => one === verdict).length;
  const parts = [
    [count("same"), "the same"],
    [count("differs"), count("differs") === 1 ? "differs" : "differ"],
    [count("record"), "from the record"],
    [count("unsaid"), "unknown"],
  ] as const;
  const counts = parts.flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`]));
  return counts.length === 0 ? "There are no calls to replay." : `${counts.join(", ")}.`;
}
