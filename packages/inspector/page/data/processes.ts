import { signal } from "@preact/signals";
import type { InspectorEvent, Process } from "../../src/wire/api.ts";
import { onEvent } from "../client/event-stream.ts";
import { ask } from "../client/request.ts";
import { catchUp } from "./catch-up.ts";

/** Commands: those that run first, then those that ended last. */
export const processes = signal<readonly Process[]>([]);

export function loadProcesses(): Promise<void> {
  return catchUp(
    () => ask("GET /api/processes"),
    ({ items }) => (processes.value = items),
    hear,
  );
}

export function followProcesses(): () => void {
  return onEvent(hear);
}

function hear(event: InspectorEvent): void {
  if (event.type !== "process") return;
  const { process } = event;
  const index = processes.value.findIndex(({ runId, id }) => runId === process.runId && id === process.id);
  processes.value = index < 0 ? [process, ...processes.value] : processes.value.with(index, process);
}
