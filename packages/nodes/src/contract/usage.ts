import { attempt } from "@haft/workspace/internal/system";

/** What a node uses of what it has, as it says. What it does not say is not there: all of it, with nodes that know nothing of this. */
export interface NodeUsage {
  /** Calls that run now. */
  readonly calls?: number;
  /** Calls that it runs at once. */
  readonly mostCalls?: number;
  /** Workspaces that are open. */
  readonly workspaces?: number;
  /** Workspaces that it opens at once. */
  readonly mostWorkspaces?: number;
  /** Memory of its program and all that this has started, in bytes. */
  readonly memoryBytes?: number;
  /** Processors that those keep busy, on an average of the moment: 0.5 is half of one. */
  readonly cpus?: number;
  /** Processes and threads of those. */
  readonly tasks?: number;
  /** Memory of its machine that programs can have together, in bytes. */
  readonly machineMemoryBytes?: number;
  /** Memory of its machine that is left for more, in bytes. */
  readonly machineFreeBytes?: number;
  /** Processors of its machine. */
  readonly machineCpus?: number;
  /** How many on its machine wanted a processor in the last minute, on average. */
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
