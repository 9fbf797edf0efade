export interface HostGuards {
  closed: readonly string[];
  code(roots: readonly string[]): readonly string[];
}

/** One for all copies of this module: two that are installed side by side must not know half of it each. */
const KEY = Symbol.for("@haft/workspace: guards of hosts");

function guards(): Map<string, HostGuards> {
  const holder = globalThis as { [KEY]?: Map<string, HostGuards> };
  return (holder[KEY] ??= new Map());
}

/**
 * From now on, for tools that open a folder by themselves, too. There is no way back: what a host keeps outlives it.
 *
 * @param name of what is the same for several hosts
 */
export function addHostGuards(name: string, added: HostGuards): void {
  guards().set(name, added);
}

/** Those of all hosts together, as they are now; `count` grows, so it says whether any came after an earlier look. */
export function hostGuards(): HostGuards & { count: number } {
  const all = [...guards().values()];
  return {
    count: all.length,
    closed: [...new Set(all.flatMap(({ closed }) => closed))],
    code: (roots) => [...new Set(all.flatMap((one) => one.code(roots)))],
  };
}
