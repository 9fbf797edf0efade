/**
 * What the tools of all sessions in this process must leave alone, because a host uses it.
 *
 * @example
 * ```ts
 * import type { HostGuards } from "@haft/system";
 * const guards: HostGuards = { closed: ["/var/lib/agent"], code: () => ["/srv/agent/dist"] };
 * ```
 */
export interface HostGuards {
  /** Absolute paths that no session may read or change, such as the folder of the host's state. */
  closed: readonly string[];
  /** Returns the absolute paths inside of these roots from which the host runs code: no session may change them. */
  code(roots: readonly string[]): readonly string[];
}

/** One for all copies of this module: two that are installed side by side must not know half of it each. */
const KEY = Symbol.for("@haft/workspace: guards of hosts");

function guards(): Map<string, HostGuards> {
  const holder = globalThis as { [KEY]?: Map<string, HostGuards> };
  return (holder[KEY] ??= new Map());
}

/**
 * Adds guards for the rest of the process, also for tools that open a folder by themselves. They cannot be removed, because the
 * files of a host outlive it.
 *
 * @param name Of the guards. Hosts that protect the same use the same name, and the last call counts.
 */
export function addHostGuards(name: string, added: HostGuards): void {
  guards().set(name, added);
}

/**
 * Returns the present guards of all hosts together. `count` grows with each new name, so a caller can compare it with an earlier
 * value.
 */
export function hostGuards(): HostGuards & { count: number } {
  const all = [...guards().values()];
  return {
    count: all.length,
    closed: [...new Set(all.flatMap(({ closed }) => closed))],
    code: (roots) => [...new Set(all.flatMap((one) => one.code(roots)))],
  };
}
