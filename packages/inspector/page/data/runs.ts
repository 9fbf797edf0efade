import { signal } from "@preact/signals";
import type { InspectorEvent, Run } from "../../src/wire/api.ts";
import { onEvent } from "../client/event-stream.ts";
import { callApi, RequestError } from "../client/request.ts";
import { catchUp } from "./catch-up.ts";

export const runs = signal<readonly Run[]>([]);
export const moreRuns = signal<string | undefined>(undefined);
export const runsLoaded = signal(false);

export function loadRuns(): Promise<void> {
  // Earlier events must not overwrite it.
  applyReceived();
  return catchUp(
    () => callApi("GET /api/runs", { query: { limit: 200 } }),
    ({ items, next }) => {
      runs.value = items;
      moreRuns.value = next;
      runsLoaded.value = true;
    },
    hear,
  );
}

export async function loadOlderRuns(): Promise<void> {
  const after = moreRuns.value;
  if (after === undefined) return;
  moreRuns.value = undefined;
  try {
    const { items, next } = await callApi("GET /api/runs", { query: { limit: 200, after } });
    const known = new Set(runs.value.map(({ runId }) => runId));
    runs.value = [...runs.value, ...items.filter(({ runId }) => !known.has(runId))];
    moreRuns.value = next;
  } catch {
    // Shows the button again.
    moreRuns.value = after;
  }
}

/** Includes sessions outside the list. */
export async function findRunById(runId: string): Promise<Run | undefined> {
  const known = runs.value.find((run) => run.runId === runId);
  if (known !== undefined) return known;
  try {
    let found: Run | undefined;
    const take = (run: Run) => put((found = run));
    await catchUp(() => callApi("GET /api/runs/:run", { path: { run: runId } }), take, hear);
    return found;
  } catch (thrown) {
    if (thrown instanceof RequestError && thrown.status === 404) return undefined;
    throw thrown;
  }
}

export function watchRuns(): void {
  onEvent(hear);
}

/** Recent events in order. */
const later: Extract<InspectorEvent, { type: "run" }>[] = [];

function hear(event: InspectorEvent): void {
  if (event.type === "run") {
    if (later.push(event) === 1) setTimeout(applyReceived, 30);
  } else if (event.type === "call") {
    const { runId, seq, createdAt } = event.call;
    const run = runs.value.find((each) => each.runId === runId);
    if (run !== undefined && run.calls < (seq ?? 0)) put({ ...run, calls: seq!, lastAt: createdAt });
  }
}

function applyReceived(): void {
  for (const { run } of later.splice(0)) put(run);
}

function put(run: Run): void {
  const index = runs.value.findIndex(({ runId }) => runId === run.runId);
  if (index >= 0) {
    const known = runs.value[index]!;
    runs.value = runs.value.with(index, { ...run, calls: Math.max(known.calls, run.calls) });
    return;
  }
  const before = runs.value.findIndex(({ openedAt }) => openedAt <= run.openedAt);
  runs.value = before < 0 ? [...runs.value, run] : runs.value.toSpliced(before, 0, run);
}
