import { attempt } from "@haft/system";

/** Describes the resource usage of a node. Unreported values are absent; older nodes report none. */
export interface NodeUsage {
  /** Counts running calls. */
  readonly calls?: number;
  /** Limits concurrent calls. */
  readonly mostCalls?: number;
  /** Counts open workspaces. */
  readonly workspaces?: number;
  /** Limits open workspaces. */
  readonly mostWorkspaces?: number;
  /** Memory of the node's program and its descendant processes, in bytes. */
  readonly memoryBytes?: number;
  /** Processors that they use, as a current average, such as 0.5. */
  readonly cpus?: number;
  /** Counts their processes and threads. */
  readonly tasks?: number;
  /** Total memory of the machine for programs, in bytes. */
  readonly machineMemoryBytes?: number;
  /** Available memory of the machine, in bytes. */
  readonly machineFreeBytes?: number;
  /** Counts the machine's processors. */
  readonly machineCpus?: number;
  /** Load average of the last minute: processes that wanted a processor. */
  readonly machineLoad?: number;
}

const MAX_VALUES: Readonly<Record<keyof NodeUsage, number>> = {
  calls: 1e6,
  mostCalls: 1e6,
  workspaces: 1e6,
  mostWorkspaces: 1e6,
  memoryBytes: 2 ** 50,
  cpus: 65_536,
  tasks: 1e7,
  machineMemoryBytes: 2 ** 50,
  machineFreeBytes: 2 ** 50,
  machineCpus: 65_536,
  machineLoad: 1e6,
};

/** Maximum message size in bytes. */
const MAX_BYTES = 1_024;

export function readNodeUsage(bytes: Uint8Array): NodeUsage | undefined {
  if (bytes.length === 0 || bytes.length > MAX_BYTES) return undefined;
  const reported: unknown = attempt(() => JSON.parse(Buffer.from(bytes).toString()) as unknown);
  if (typeof reported !== "object" || reported === null) return undefined;
  const use = Object.fromEntries(
    Object.entries(MAX_VALUES).flatMap(([name, most]) => {
      const value: unknown = Object.hasOwn(reported, name)
        ? reported[name as keyof typeof reported]
        : undefined;
      return typeof value === "number" && value >= 0 && value <= most ? [[name, value]] : [];
    }),
  );
  return Object.keys(use).length === 0 ? undefined : use;
}
