import { withoutUndefined } from "@haft/core";
import type { RunRecord } from "@haft/core/kernel";
import type { InspectorSource } from "@haft/inspector";
import { join } from "node:path";
import type { Host } from "../host/host.ts";
import { abilitiesOf } from "./abilities/abilities.ts";
import { Waiting } from "./approvals/waiting.ts";
import { callDetail, callTrace, resultImage, resultText } from "./calls/call-detail.ts";
import { CallNotes } from "./calls/call-notes.ts";
import { callOutput } from "./calls/call-output.ts";
import { coveredPage } from "./calls/covered-page.ts";
import { listCalls } from "./calls/list-calls.ts";
import { LiveOutput } from "./calls/live-output.ts";
import { compareRuns } from "./compare-runs.ts";
import { followKept } from "./follow/follow-kept.ts";
import { followLive } from "./follow/follow-live.ts";
import { type Looking, lookInto } from "./looking.ts";
import { placesShown } from "./places.ts";
import { policyFileText } from "./policy/policy-files.ts";
import { kindOf, lintInForce, openCell, policyView } from "./policy/policy-view.ts";
import { replayCalls } from "./policy/replay-calls.ts";
import { lintOfEdit, savePolicy, tryPolicy } from "./policy/try-policy.ts";
import { actOnProcess, findCommand, listProcesses, processOutput } from "./processes/commands.ts";
import { coveredOutput } from "./processes/covered-output.ts";
import { exportedRuns } from "./runs/exported-runs.ts";
import { findRun, listRuns } from "./runs/run-shown.ts";
import { Scratches } from "./tools/scratch.ts";
import { toolsView } from "./tools/tools-view.ts";
import { undoCall } from "./undo.ts";
import { UseMeter } from "./use-meter.ts";

/** What an inspector of a host is told. */
export interface SourceOptions {
  /** `kept`: no session of the host is shown, but what is kept of those of other programs. */
  mode: "live" | "kept";
  /** The command that continues a run. */
  resume?: ((run: RunRecord) => string | undefined) | undefined;
}

/** What an inspector shows of a host, by its own functions. */
export async function hostSource(host: Host, { mode, resume }: SourceOptions): Promise<InspectorSource> {
  const looking = lookInto(host, resume);
  const { inside } = looking;
  const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
  const waiting = new Waiting(looking);
  const output = new LiveOutput();
  const notes = new CallNotes();
  const scratches = new Scratches(looking);
  const meter = new UseMeter();
  return {
    about: withoutUndefined({
      version: manifest.version,
      mode,
      workspace: host.workspace.describe().cwd,
      keptIn: inside.ledger === undefined ? undefined : inside.isShared ? "a NATS server" : inside.stateDir,
      auditLog: inside.auditFile,
    }),
    runs: (asked) => listRuns(looking, asked),
    run: (runId) => findRun(looking, runId),
    calls: (asked, signal) => listCalls(looking.ledger(), asked, signal),
    call: (named) => callDetail(looking, named, notes),
    trace: (named) => callTrace(looking, named),
    text: (named, stretch) => resultText(looking, named, stretch),
    output: (named, stretch, signal) =>
      stretch.covered
        ? coveredPage(
            (part) => callOutput(looking, output, named, { ...part, covered: true }, signal),
            stretch,
          )
        : callOutput(looking, output, named, stretch, signal),
    image: (named) => resultImage(looking, named),
    abort: async ({ runId, toolCallId }) =>
      looking.live(runId)?.session.abort(toolCallId, "ended at the inspector.") ?? false,
    approvals: () => waiting.all(),
    answer: (approvalId, given) => waiting.answer(approvalId, given),
    revoke: async (grantId) => (await inside.approvals?.revoke(grantId)) ?? false,
    policy: async (asked) => policyView(looking, asked),
    cell: async (asked) => openCell(looking, asked),
    policyFile: async (id, covered) => policyFileText(looking, id, covered),
    tryPolicy: (edit) => tryPolicy(looking, edit),
    policyLint: (edit) => (edit === undefined ? lintInForce(looking) : lintOfEdit(looking, edit)),
    replay: (asked, signal) => replayCalls(looking, asked, signal),
    savePolicy: (save) => savePolicy(looking, save),
    tools: (asked) => toolsView(looking, asked),
    explain: async ({ kind, tool, args }) => (await host.preview({ kind: kindOf(kind) })).explain(tool, args),
    openScratch: (asked) => scratches.open(asked),
    callInScratch: (id, call, signal) => scratches.call(id, call, signal),
    allowInScratch: (id, given) => scratches.allow(id, given),
    closeScratch: (id) => scratches.close(id),
    processes: () => listProcesses(looking),
    processOutput: (named, stretch, signal) =>
      stretch.covered
        ? coveredOutput((part) => processOutput(looking, named, part, signal), stretch)
        : processOutput(looking, named, stretch, signal),
    writeToProcess: (named, { text, eof }) =>
      actOnProcess(looking, named, { action: "write", data: text, ...(eof === true && { eof }) }),
    killProcess: (named) => actOnProcess(looking, named, { action: "kill" }),
    async resizeProcess({ runId, processId }, size) {
      const command = await findCommand(looking.live(runId), processId);
      await command?.processes.resize(command.info.id, size);
      return command && true;
    },
    places: () => placesShown(looking, meter),
    compare: (asked) => compareRuns(looking, asked),
    undo: (asked) => undoCall(looking, asked),
    abilities: (asked) => abilitiesOf(looking, asked),
    exported: (asked) => exportedRuns(looking, asked),
    follow(tell) {
      const over = new AbortController();
      const log = auditLogOf(looking);
      if (log !== undefined) void looking.guarded.follow(log, tell, over.signal);
      const ends = [
        () => over.abort(),
        followLive(looking, { waiting, output, notes }, tell),
        followKept(looking, waiting, tell),
        inside.onPolicy(() => tell({ type: "policy", version: host.policy.version })),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
    close: () => scratches.closeAll(),
  };
}

/** Where hooks of agents write down what they were asked: in the operator's log, else where they only watch. */
function auditLogOf({ inside }: Looking): string | undefined {
  if (inside.auditFile !== undefined) return inside.auditFile;
  return inside.stateDir === undefined ? undefined : join(inside.stateDir, "guard", "watched.jsonl");
}
