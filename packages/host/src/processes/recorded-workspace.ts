import type { Processes, ProcessInfo, ProcessOutput, Workspace } from "@haft/core";
import { mapProcesses } from "@haft/core/internal";
import type { ProcessRecord } from "@haft/store";
import { withProcesses } from "@haft/workspace/internal/places";
import { hostError } from "../errors.ts";
import { killPastProcess, toPastInfo } from "./past-process.ts";
import type { RunProcesses } from "./run-processes.ts";

export function recordedWorkspace(workspace: Workspace, records: RunProcesses): Workspace {
  let recorded: Processes | undefined;
  return withProcesses(workspace, () => (recorded ??= recordedProcesses(workspace, records)));
}

function recordedProcesses(workspace: Workspace, records: RunProcesses): Processes {
  const present = () => workspace.processes!;
  let loading: Promise<Map<string, ProcessRecord>> | undefined;
  const load = async () => {
    const [recordedList, there] = await Promise.all([records.listPast(), present().list()]);
    const known = new Set(there.map(({ id }) => id));
    return new Map(recordedList.filter(({ info }) => !known.has(info.id)).map((one) => [one.info.id, one]));
  };
  const past = () => (loading ??= load());
  const pastOf = async (id: string) => (await past()).get(id);
  const onRecord = (info: ProcessInfo) => {
    records.recordUpdate(info);
    return info;
  };
  const mapped = mapProcesses(present);
  return {
    ...mapped,
    async start(callerId, spec, options) {
      const processes = present();
      const info = await processes.start(callerId, spec, options);
      void records.recordStart(processes, info, getExecutionTarget(workspace));
      return info;
    },
    async info(id) {
      const pastRecord = await pastOf(id);
      if (pastRecord !== undefined) return toPastInfo(pastRecord);
      const info = await present().info(id);
      return info && onRecord(info);
    },
    list: async () => [
      ...[...(await past()).values()].map(toPastInfo),
      ...(await present().list()).map(onRecord),
    ],
    async read(id, from, options) {
      const pastRecord = await pastOf(id);
      return pastRecord === undefined
        ? present().read(id, from, options)
        : nothingToRead(toPastInfo(pastRecord), from);
    },
    async write(id, bytes, options) {
      if ((await pastOf(id)) === undefined) return present().write(id, bytes, options);
      throw hostError(
        "STDIN_CLOSED",
        "Its standard input cannot be written: the host that had started it has ended.",
      );
    },
    async closeStdin(id, options) {
      if ((await pastOf(id)) === undefined) await present().closeStdin(id, options);
    },
    async signal(id, signal, options) {
      return (await pastOf(id)) === undefined ? present().signal(id, signal, options) : { signalled: 0 };
    },
    async kill(id, options) {
      const pastRecord = await pastOf(id);
      return pastRecord === undefined
        ? onRecord(await present().kill(id, options))
        : killPastProcess(pastRecord);
    },
    async resize(id, size) {
      if ((await pastOf(id)) === undefined) await present().resize(id, size);
    },
    async wait(id, options) {
      const pastRecord = await pastOf(id);
      return pastRecord === undefined ? onRecord(await present().wait(id, options)) : toPastInfo(pastRecord);
    },
    notices: (met) => present().notices?.(met) ?? [],
    async release(id) {
      if ((await pastOf(id)) === undefined) await Promise.all([present().release(id), records.forget(id)]);
      else {
        (await past()).delete(id);
        await records.forgetPast(id);
      }
    },
  };
}

function nothingToRead({ output, state }: ProcessInfo, from: number): ProcessOutput {
  const next = Math.max(from, output.total);
  return { chunks: [], next, dropped: next - from, total: output.total, state };
}

/** `view` means contained on the host. */
export function getExecutionTarget(workspace: Pick<Workspace, "describe">): string {
  const { target, containment } = workspace.describe();
  return target === "host" && containment !== undefined ? "view" : target;
}
