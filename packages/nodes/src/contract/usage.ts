import { attempt } from "@haft/system";

/** Describes a node's resource usage; unreported values are absent. */
export interface NodeUsage {
  /** Counts running calls. */
  readonly calls?: number;
  /** Limits concurrent calls. */
  readonly mostCalls?: number;
  /** Counts open workspaces. */
  readonly workspaces?: number;
  /** Limits open workspaces. */
  readonly mostWorkspaces?: number;
  /** Memory bytes of the node's program and its descendants. */
  readonly memoryBytes?: number;
  /** Average processors in use, such as 0.5. */
  readonly cpus?: number;
  /** Counts processes and threads. */
  readonly tasks?: number;
  /** Memory bytes of the machine for programs. */
  readonly machineMemoryBytes?: number;
  /** Available memory bytes of the machine. */
  readonly machineFreeBytes?: number;
  /** Counts the machine's processors. */
  readonly machineCpus?: number;
  /** Load average of the last minute. */
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

/** Bytes of a message. */
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
