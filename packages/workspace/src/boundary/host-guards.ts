/**
 * Describes the paths that tools of all sessions in this process must not change.
 *
 * @example
 * ```ts
 * import type { HostGuards } from "@haft/system";
 * const guards: HostGuards = { closed: ["/var/lib/agent"], code: () => ["/srv/agent/dist"] };
 * ```
 */
export interface HostGuards {
  /** Absolute paths that no session may read or change, such as the state folder of the host. */
  closed: readonly string[];
  /** Returns absolute paths inside these roots from which the host loads code. They are read-only. */
  code(roots: readonly string[]): readonly string[];
}

/** Shared by all installed copies of this module. */
const KEY = Symbol.for("@haft/workspace: guards of hosts");

function guards(): Map<string, HostGuards> {
  const holder = globalThis as { [KEY]?: Map<string, HostGuards> };
  return (holder[KEY] ??= new Map());
}

/**
 * Adds guards for the rest of the process, also for tools without a host. Guards cannot be removed, because the files outlive the host.
 * @param name Identifies the guards. Hosts that protect the same paths use the same name, and the last call counts.
 */
export function addHostGuards(name: string, added: HostGuards): void {
  guards().set(name, added);
}

/** Returns the guards of all hosts. `count` grows with each new name. */
export function hostGuards(): HostGuards & { count: number } {
  const all = [...guards().values()];
  return {
    count: all.length,
    closed: [...new Set(all.flatMap(({ closed }) => closed))],
    code: (roots) => [...new Set(all.flatMap((one) => one.code(roots)))],
  };
}
