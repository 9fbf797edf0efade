import { withoutUndefined, type ToolFacts } from "@haft/core";
import { recordRewind } from "@haft/core/internal/records";
import type { RunRecord, ToolDefinition, Rewinding, RewindReport } from "@haft/core/kernel";
import type {
  InspectorSource,
  ProcessOutputPage,
  PluginShown,
  ToolShown,
  ToolsView,
  UndoAsked,
} from "@haft/inspector";
import { readMatrix } from "@haft/policy";
import { join } from "node:path";
import { hostError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { rewindWith } from "../host/rewind-files.ts";
import { callsOfRun } from "../ledger/all-calls.ts";
import { callsSince, requireHere, requireQuiet } from "../ledger/rewind/calls-since.ts";
import { recordUndo } from "../ledger/rewind/record-undo.ts";
import type { PluginReport } from "../plugins/plugin-report.ts";
import { tokensOf } from "../plugins/tokens-of.ts";
import { abilitiesOf } from "./abilities/abilities.ts";
import { WaitingApprovals } from "./approvals/waiting.ts";
import { callDetail, callTrace, resultImage, resultText } from "./calls/call-detail.ts";
import { InspectedCallNotes } from "./calls/call-notes.ts";
import { callOutput } from "./calls/call-output.ts";
import { coveredPage } from "./calls/covered-page.ts";
import { textOfSameLength } from "./calls/cut-bytes.ts";
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
import { exportedRuns } from "./runs/exported-runs.ts";
import { findShownRun, listRuns } from "./runs/run-shown.ts";
import { Scratches } from "./tools/scratch.ts";
import { UseMeter } from "./use-meter.ts";

export interface SourceOptions {
  /** `kept`: no session of the host is shown, but what is kept of those of other programs. */
  mode: "live" | "kept";
  resume?: ((run: RunRecord) => string | undefined) | undefined;
}

export async function hostSource(host: Host, { mode, resume }: SourceOptions): Promise<InspectorSource> {
  const looking = lookInto(host, resume);
  const { inside } = looking;
  const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
  const waiting = new WaitingApprovals(looking);
  const output = new LiveOutput();
  const notes = new InspectedCallNotes();
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
    run: (runId) => findShownRun(looking, runId),
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

interface Stretch {
  from: number;
  max: number;
  wait: number;
}

/** The same page with secrets covered, as one chunk of whole lines: what a command asks without an end of its line comes with it. */
async function coveredOutput(
  read: (stretch: Stretch) => Promise<ProcessOutputPage | undefined>,
  stretch: Stretch,
): Promise<ProcessOutputPage | undefined> {
  let last: ProcessOutputPage | undefined;
  const page = await coveredPage(async (part) => {
    last = await read(part);
    if (last === undefined) return undefined;
    const { chunks, next, total, dropped, state } = last;
    const bytes = Buffer.concat(chunks.map(({ base64 }) => Buffer.from(base64, "base64")));
    const [text, from] = [textOfSameLength(bytes), next - bytes.length];
    return { text, from, next, total, dropped, open: state === "running", source: "process" };
  }, stretch);
  if (page === undefined || last === undefined) return undefined;
  const { text, from, next, total, dropped } = page;
  const base64 = Buffer.from(text).toString("base64");
  const chunks = text === "" ? [] : [{ stream: "stdout" as const, offset: from, base64 }];
  return { chunks, next, dropped, total, state: last.state };
}

async function toolsView(
  looking: Looking,
  { kind, agent }: { kind?: string; agent?: string },
): Promise<ToolsView> {
  const { host } = looking;
  const session = kindOf(kind);
  const preview = await host.preview(withoutUndefined({ kind: session, agentId: agent }));
  const rows = new Map(readMatrix(host.policy, host.catalogue, agent).map((row) => [row.toolId, row]));
  const tools = preview.tools().flatMap((definition): ToolShown[] => {
    const facts = factsOf(host.catalogue, definition);
    const cell = facts && rows.get(facts.id)?.cells[session];
    return facts === undefined || cell === undefined ? [] : [{ ...toolShown(definition, facts), cell }];
  });
  return {
    kind: session,
    tools,
    missing: preview.missing(),
    diagnostics: [...host.diagnostics, ...preview.diagnostics()],
    plugins: host.plugins().map(pluginShown),
    tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

function factsOf(catalogue: readonly ToolFacts[], { name }: ToolDefinition): ToolFacts | undefined {
  const named = catalogue.filter((facts) => facts.name === name || facts.id === name);
  return named.find(({ builtIn }) => builtIn) ?? named[0];
}

function toolShown(definition: ToolDefinition, facts: ToolFacts): Omit<ToolShown, "cell"> {
  const { name, description, parameters, outputSchema } = definition;
  const { id, pluginId, effects, effectsUnknown, builtIn, optional, mcp } = facts;
  const tokens = tokensOf(definition);
  return withoutUndefined<Omit<ToolShown, "cell">>({
    name,
    id,
    pluginId,
    description,
    parameters,
    outputSchema,
    effects,
    effectsUnknown,
    builtIn,
    optional,
    mcp,
    tokens,
  });
}

function pluginShown(report: PluginReport): PluginShown {
  const { use, id, version, file, source, state, tools, problem, late } = report;
  const problems: PluginShown["problems"][number][] = [];
  if (problem !== undefined)
    problems.push({ code: problem.code, message: problem.message, fix: problem.fix });
  if (late !== undefined) problems.push({ code: late.code, message: late.message });
  return withoutUndefined<PluginShown>({
    id: id ?? use,
    version,
    from: report.package?.name ?? file,
    builtIn: source === "built-in",
    state,
    tools: tools.map(({ name }) => name),
    problems,
  });
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Puts files back as they were before a call: by its session where that is open here, and as `haft undo` does it otherwise.
 *
 * @throws HaftError as `session.rewind`; `RUN_NOT_FOUND`, `RUN_ELSEWHERE`, `REWIND_BUSY`
 */
async function undoCall(looking: Looking, asked: UndoAsked): Promise<RewindReport> {
  const { runId, toolCallId, dryRun = false, skipConflicts = false } = asked;
  const live = looking.live(runId)?.session;
  if (live !== undefined) return live.rewind(toolCallId, { dryRun, skipConflicts });
  const { host, inside } = looking;
  const run = await looking.ledger().run(runId);
  if (run === undefined || inside.ledger === undefined)
    throw hostError("RUN_NOT_FOUND", `There is no run ${JSON.stringify(runId)}.`);
  const calls = await callsOfRun(inside.ledger, runId);
  if (!calls.some((call) => call.toolCallId === toolCallId))
    throw hostError("RUN_NOT_FOUND", `The run ${runId} has no call ${JSON.stringify(toolCallId)}.`);
  requireHere(run, host.workspace.describe().cwd, toolCallId);
  if (!dryRun) requireQuiet(run, calls);
  const { records: rewound = [], ...found } = callsSince(run, calls, toolCallId);
  // It is the operator who says so.
  const rewinding: Rewinding = {
    ...found,
    workspace: host.workspace,
    dryRun,
    skipConflicts,
    allow: async () => {},
  };
  const rewind = (wanted: Rewinding) => rewindWith(host.changes, wanted);
  if (dryRun) return recordRewind(toolCallId, rewinding, { rewind, rewound });
  const undone = { ...found, run, workspace: host.workspace, by: "the inspector" };
  const logger = inside.given.logger ?? SILENT;
  return recordUndo(inside.ledger, undone, toolCallId, rewinding, { rewind, rewound, logger });
}
