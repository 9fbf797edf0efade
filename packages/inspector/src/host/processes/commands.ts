import type { Processes, ProcessInfo } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import type { OpenSession } from "@haft/host/internal/host";
import { toStoredInfo, getExecutionTarget } from "@haft/host/internal/processes";
import { withoutUndefined } from "@haft/utils";
import { randomUUID } from "node:crypto";
import type { CallOutcomeSummary, Process, ProcessOutputPage } from "../../wire/api.ts";
import type { InspectionContext } from "../inspection-context.ts";
import { getHolder } from "../runs/run-view.ts";

const MAX = 500;
const RUNS = 50;

export interface ProcessCommand {
  processes: Processes;
  info: ProcessInfo;
  name: string;
}

export async function findCommand(
  opened: OpenSession | undefined,
  id: string,
): Promise<ProcessCommand | undefined> {
  const processes = opened?.workspace.processes;
  if (processes === undefined) return undefined;
  const info = (await processes.list()).find((one) => one.id === id || nameOf(one) === id);
  return info && { processes, info, name: nameOf(info) };
}

/** The id contains the model's name for it. */
function nameOf({ callerId, id }: ProcessInfo): string {
  try {
    const [, , name] = JSON.parse(callerId) as unknown[];
    return typeof name === "string" ? name : id;
  } catch {
    return id;
  }
}

function processShown(
  info: ProcessInfo,
  of: { runId: string; sessionKey: string; where: string; live: boolean },
): Process {
  const {
    pid,
    cwd,
    startedAt,
    endedAt,
    state,
    reason,
    exitCode,
    signal,
    pty,
    stdin,
    outside,
    forward,
    loss,
  } = info;
  const { total, dropped, lastAt } = info.output;
  return withoutUndefined<Process>({
    ...of,
    id: nameOf(info),
    pid,
    command: redactSecrets(info.command),
    cwd,
    startedAt,
    endedAt,
    state,
    reason,
    exitCode,
    signal,
    pty,
    stdin,
    outside,
    forward,
    output: withoutUndefined({ total, dropped, lastAt }),
    unknown: loss?.why,
  });
}

export async function listSessionProcesses({ session, workspace }: OpenSession): Promise<Process[]> {
  const where = getExecutionTarget(workspace);
  const of = { runId: session.opening, sessionKey: session.key, where, live: true };
  return ((await workspace.processes?.list()) ?? []).map((info) => processShown(info, of));
}

/** Running first, then ended, newest first. */
export async function listProcesses({
  internals,
  recorded,
  live,
  hasStoredLedger,
}: InspectionContext): Promise<Process[]> {
  const open = await Promise.all(
    internals.sessions.all().map((opened) => listSessionProcesses(opened).catch(() => [])),
  );
  const store = hasStoredLedger() ? await internals.processes() : undefined;
  const past: Process[] = [];
  const { items } = store === undefined ? { items: [] } : await recorded().runs({ limit: RUNS });
  for (const run of items) {
    const { runId, sessionKey, workspace } = run;
    if (live(runId) !== undefined) continue;
    for (const stored of (await store?.list(runId)) ?? []) {
      // Workspaces do not record containment.
      const { where = workspace.place === "host" ? "unknown" : workspace.place } = stored;
      past.push(
        processShown(toStoredInfo(stored, getHolder(run)), { runId, sessionKey, where, live: false }),
      );
    }
  }
  const rank = ({ state }: Process) => (state === "running" ? 0 : 1);
  return [...open.flat(), ...past]
    .toSorted((one, other) => rank(one) - rank(other) || other.startedAt - one.startedAt)
    .slice(0, MAX);
}

export async function processOutput(
  looking: InspectionContext,
  { runId, processId }: { runId: string; processId: string },
  { from, max, wait }: { from: number; max: number; wait: number },
  signal: AbortSignal,
): Promise<ProcessOutputPage | undefined> {
  const command = await findCommand(looking.live(runId), processId);
  if (command === undefined) return undefined;
  const read = await command.processes.read(command.info.id, from, { max, waitMs: wait, signal });
  const { chunks, next, dropped, total, state } = read;
  return {
    chunks: chunks.map(({ stream, offset, bytes }) => ({
      stream,
      offset,
      base64: Buffer.from(bytes).toString("base64"),
    })),
    next,
    dropped,
    total,
    state,
  };
}

/** Uses the session's tool `process`, with its policy and ledger; `undefined` without an open session. */
export async function actOnProcess(
  looking: InspectionContext,
  { runId, processId }: { runId: string; processId: string },
  args: Readonly<Record<string, unknown>>,
): Promise<CallOutcomeSummary | undefined> {
  const opened = looking.live(runId);
  const command = await findCommand(opened, processId);
  if (opened === undefined || command === undefined) return undefined;
  const outcome = await opened.session.call({
    id: `inspect-${randomUUID()}`,
    name: "process",
    arguments: { ...args, sessionId: command.name },
  });
  const { kind, content, receipt, durationMs } = outcome;
  return { kind, content, receipt, durationMs, ...("code" in outcome && { code: outcome.code }) };
}
