import { attempt } from "@haft/system";

/** Resource usage that a node reports. Values that it does not report are absent; older nodes report none. */
export interface NodeUsage {
  /** Number of running calls. */
  readonly calls?: number;
  /** Maximum number of concurrent calls. */
  readonly mostCalls?: number;
  /** Number of open workspaces. */
  readonly workspaces?: number;
  /** Maximum number of open workspaces. */
  readonly mostWorkspaces?: number;
  /** Memory of the node's program and everything that it has started, in bytes. */
  readonly memoryBytes?: number;
  /** Number of processors that they use, as a current average: 0.5 is half of one. */
  readonly cpus?: number;
  /** Number of their processes and threads. */
  readonly tasks?: number;
  /** Total memory of the machine for programs, in bytes. */
  readonly machineMemoryBytes?: number;
  /** Available memory of the machine, in bytes. */
  readonly machineFreeBytes?: number;
  /** Number of processors of the machine. */
  readonly machineCpus?: number;
  /** Average number of processes of the machine that wanted a processor in the last minute. */
  readonly machineLoad?: number;
}

/** What each can be at most, so that no page shows what no machine has. */
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

/** Bytes of it on its way. */
const MAX_BYTES = 1_024;

/** What a node said that it uses, as a stranger says it: what is no number of that kind was not said. */
export function readNodeUsage(bytes: Uint8Array): NodeUsage | undefined {
  if (bytes.length === 0 || bytes.length > MAX_BYTES) return undefined;
  const said: unknown = attempt(() => JSON.parse(Buffer.from(bytes).toString()) as unknown);
  if (typeof said !== "object" || said === null) return undefined;
  const use = Object.fromEntries(
    Object.entries(MAX_VALUES).flatMap(([name, most]) => {
      const value: unknown = Object.hasOwn(said, name) ? said[name as keyof typeof said] : undefined;
      return typeof value === "number" && value >= 0 && value <= most ? [[name, value]] : [];
    }),
  );
  return Object.keys(use).length === 0 ? undefined : use;
}
