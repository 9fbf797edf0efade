import type { ToolFacts } from "@haft/core";
import type { RewindRequest } from "@haft/core/internal";
import { recordRewind } from "@haft/core/internal/records";
import type { RunRecord, ToolDefinition, RewindReport } from "@haft/core/kernel";
import { listRunCalls } from "@haft/history";
import { callsSince, requireSameWorkspace, requireIdleRun, recordUndo } from "@haft/history/ledger";
import type { Host } from "@haft/host";
import { rewindFiles } from "@haft/host/internal/host";
import type { PluginReport } from "@haft/plugin-loader";
import { estimateToolTokens } from "@haft/plugin-loader/internal/plugins";
import { readMatrix } from "@haft/policy";
import { withoutUndefined } from "@haft/utils";
import { join } from "node:path";
import { inspectorError } from "../errors.ts";
import type { InspectorSource } from "../source/inspector-source.ts";
import type { ProcessOutputPage, PluginView, ToolView, ToolsView, UndoRequest } from "../wire/api.ts";
import { PendingApprovals } from "./approvals/pending-approvals.ts";
import { callDetail, callTrace, resultImage, resultText } from "./calls/call-detail.ts";
import { InspectedCallNotes } from "./calls/call-notes.ts";
import { callOutput } from "./calls/call-output.ts";
import { decodeSameLength } from "./calls/cut-bytes.ts";
import { listCalls } from "./calls/list-calls.ts";
import { LiveOutput } from "./calls/live-output.ts";
import { readRedactedPage } from "./calls/redacted-page.ts";
import { getCapabilities } from "./capabilities/capabilities.ts";
import { compareRuns } from "./compare-runs.ts";
import { followLive } from "./follow/follow-live.ts";
import { followStored } from "./follow/follow-stored.ts";
import { type InspectionContext, createInspectionContext } from "./inspection-context.ts";
import { getLocations } from "./locations.ts";
import { policyFileText } from "./policy/policy-files.ts";
import { parseSessionKind, lintCurrentPolicy, openCell, policyView } from "./policy/policy-view.ts";
import { replayCalls } from "./policy/replay-calls.ts";
import { lintPolicyEdit, savePolicy, tryPolicy } from "./policy/try-policy.ts";
import { actOnProcess, findCommand, listProcesses, processOutput } from "./processes/commands.ts";
import { openExport } from "./runs/export-runs.ts";
import { findRunView, listRuns } from "./runs/run-view.ts";
import { Playgrounds } from "./tools/playgrounds.ts";
import { UseMeter } from "./use-meter.ts";

export interface SourceOptions {
  /** `kept`: only other programs' records. */
  mode: "live" | "kept";
  resume?: ((run: RunRecord) => string | undefined) | undefined;
}

export async function hostSource(host: Host, { mode, resume }: SourceOptions): Promise<InspectorSource> {
  const looking = createInspectionContext(host, resume);
  const { internals } = looking;
  const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
  const waiting = new PendingApprovals(looking);
  const output = new LiveOutput();
  const notes = new InspectedCallNotes();
  const scratches = new Playgrounds(looking);
  const meter = new UseMeter();
  return {
    about: withoutUndefined({
      version: manifest.version,
      mode,
      workspace: host.workspace.describe().cwd,
      keptIn:
        internals.ledger === undefined
          ? undefined
          : internals.isShared
            ? "a NATS server"
            : internals.stateDir,
      auditLog: internals.auditFile,
    }),
    runs: (request) => listRuns(looking, request),
    run: (runId) => findRunView(looking, runId),
    calls: (request, signal) => listCalls(looking.ledger(), request, signal),
    call: (named) => callDetail(looking, named, notes),
    trace: (named) => callTrace(looking, named),
    text: (named, stretch) => resultText(looking, named, stretch),
    output: (named, stretch, signal) =>
      stretch.covered
        ? readRedactedPage(
            (part) => callOutput(looking, output, named, { ...part, covered: true }, signal),
            stretch,
          )
        : callOutput(looking, output, named, stretch, signal),
    image: (named) => resultImage(looking, named),
    abort: async ({ runId, toolCallId }) =>
      looking.live(runId)?.session.abort(toolCallId, "ended at the inspector.") ?? false,
    approvals: () => waiting.all(),
    answer: (approvalId, given) => waiting.answer(approvalId, given),
    revoke: async (grantId) => (await internals.approvals?.revoke(grantId)) ?? false,
    policy: async (request) => policyView(looking, request),
    cell: async (request) => openCell(looking, request),
    policyFile: async (id, covered) => policyFileText(looking, id, covered),
    tryPolicy: (edit) => tryPolicy(looking, edit),
    policyLint: (edit) => (edit === undefined ? lintCurrentPolicy(looking) : lintPolicyEdit(looking, edit)),
    replay: (request, signal) => replayCalls(looking, request, signal),
    savePolicy: (save) => savePolicy(looking, save),
    tools: (request) => toolsView(looking, request),
    explain: async ({ kind, tool, args }) =>
      (await host.preview({ kind: parseSessionKind(kind) })).explain(tool, args),
    openPlayground: (request) => scratches.open(request),
    callInPlayground: (id, call, signal) => scratches.call(id, call, signal),
    decideInPlayground: (id, given) => scratches.allow(id, given),
    closePlayground: (id) => scratches.close(id),
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
    locations: () => getLocations(looking, meter),
    compare: (request) => compareRuns(looking, request),
    undo: (request) => undoCall(looking, request),
    capabilities: (request) => getCapabilities(looking, request),
    openExport: (request) => openExport(looking, request),
    follow(notify) {
      const over = new AbortController();
      const log = auditLogOf(looking);
      if (log !== undefined) void looking.guarded.follow(log, notify, over.signal);
      const ends = [
        () => over.abort(),
        followLive(looking, { waiting, output, notes }, notify),
        followStored(looking, waiting, notify),
        internals.onPolicy(() => notify({ type: "policy", version: host.policy.version })),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
    close: () => scratches.closeAll(),
  };
}

/** The log of the operator or of watching hooks. */
function auditLogOf({ internals }: InspectionContext): string | undefined {
  if (internals.auditFile !== undefined) return internals.auditFile;
  return internals.stateDir === undefined ? undefined : join(internals.stateDir, "guard", "watched.jsonl");
}

interface Stretch {
  from: number;
  max: number;
  wait: number;
}

/** Masks secrets in one chunk of whole lines, and a prompt without a line end. */
async function coveredOutput(
  read: (stretch: Stretch) => Promise<ProcessOutputPage | undefined>,
  stretch: Stretch,
): Promise<ProcessOutputPage | undefined> {
  let last: ProcessOutputPage | undefined;
  const page = await readRedactedPage(async (part) => {
    last = await read(part);
    if (last === undefined) return undefined;
    const { chunks, next, total, dropped, state } = last;
    const bytes = Buffer.concat(chunks.map(({ base64 }) => Buffer.from(base64, "base64")));
    const [text, from] = [decodeSameLength(bytes), next - bytes.length];
    return { text, from, next, total, dropped, open: state === "running", source: "process" };
  }, stretch);
  if (page === undefined || last === undefined) return undefined;
  const { text, from, next, total, dropped } = page;
  const base64 = Buffer.from(text).toString("base64");
  const chunks = text === "" ? [] : [{ stream: "stdout" as const, offset: from, base64 }];
  return { chunks, next, dropped, total, state: last.state };
}

async function toolsView(
  looking: InspectionContext,
  { kind, agent }: { kind?: string; agent?: string },
): Promise<ToolsView> {
  const { host } = looking;
  const session = parseSessionKind(kind);
  const preview = await host.preview(withoutUndefined({ kind: session, agentId: agent }));
  const rows = new Map(readMatrix(host.policy, host.catalogue, agent).map((row) => [row.toolId, row]));
  const tools = preview.tools().flatMap((definition): ToolView[] => {
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

function toolShown(definition: ToolDefinition, facts: ToolFacts): Omit<ToolView, "cell"> {
  const { name, description, parameters, outputSchema } = definition;
  const { id, pluginId, effects, effectsUnknown, builtIn, optional, mcp } = facts;
  const tokens = estimateToolTokens(definition);
  return withoutUndefined<Omit<ToolView, "cell">>({
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

function pluginShown(report: PluginReport): PluginView {
  const { use, id, version, file, source, state, tools, problem, late } = report;
  const problems: PluginView["problems"][number][] = [];
  if (problem !== undefined)
    problems.push({ code: problem.code, message: problem.message, fix: problem.fix });
  if (late !== undefined) problems.push({ code: late.code, message: late.message });
  return withoutUndefined<PluginView>({
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
 * Uses this process's session, or works like `haft undo`.
 *
 * @throws HaftError as `session.rewind`; `RUN_NOT_FOUND`, `RUN_ELSEWHERE`, `REWIND_BUSY`
 */
async function undoCall(looking: InspectionContext, request: UndoRequest): Promise<RewindReport> {
  const { runId, toolCallId, dryRun = false, skipConflicts = false } = request;
  const live = looking.live(runId)?.session;
  if (live !== undefined) return live.rewind(toolCallId, { dryRun, skipConflicts });
  const { host, internals } = looking;
  const run = await looking.ledger().run(runId);
  if (run === undefined || internals.ledger === undefined)
    throw inspectorError("RUN_NOT_FOUND", `There is no run ${JSON.stringify(runId)}.`);
  const calls = await listRunCalls(internals.ledger, runId);
  if (!calls.some((call) => call.toolCallId === toolCallId))
    throw inspectorError("RUN_NOT_FOUND", `The run ${runId} has no call ${JSON.stringify(toolCallId)}.`);
  requireSameWorkspace(run, host.workspace.describe().cwd, toolCallId);
  if (!dryRun) requireIdleRun(run, calls);
  const { records: rewound = [], ...found } = callsSince(run, calls, toolCallId);
  const rewinding: RewindRequest = {
    ...found,
    workspace: host.workspace,
    dryRun,
    skipConflicts,
    allow: async () => {},
  };
  const rewind = (wanted: RewindRequest) => rewindFiles(host.changes, wanted);
  if (dryRun) return recordRewind(toolCallId, rewinding, { rewind, rewound });
  const undone = { ...found, run, workspace: host.workspace, by: "the inspector" };
  const logger = internals.options.logger ?? SILENT;
  return recordUndo(internals.ledger, undone, toolCallId, rewinding, { rewind, rewound, logger });
}
