import type { ApprovalStore, LedgerStore } from "@haft/core/kernel";

type Names<T> = readonly (keyof T & string)[];

/** Methods that open their store when one of them is first called. A method that the store lacks resolves to `undefined`. */
function forward<T, K extends keyof T & string>(
  open: () => Promise<T | undefined>,
  names: readonly K[],
): Pick<T, K> {
  const methods = names.map((name) => [
    name,
    async (...args: unknown[]) => {
      const store = await open();
      return (store?.[name] as ((...args: unknown[]) => unknown) | undefined)?.apply(store, args);
    },
  ]);
  return Object.fromEntries(methods) as Pick<T, K>;
}

export function lazyLedger(open: () => Promise<LedgerStore>): LedgerStore {
  const names = ["open", "runs", "calls", "run", "call", "forget"] satisfies Names<LedgerStore>;
  return { ...forward(open, names), close: async () => {} };
}

const READS = ["takeAnswer", "keptAnswer", "find"] satisfies Names<ApprovalStore>;
const WRITES = [
  "addGrant",
  "useGrant",
  "revoke",
  "addRequest",
  "removeRequest",
  "answer",
  "answered",
  "wasHeard",
  "sweep",
] satisfies Names<ApprovalStore>;

/**
 * Approvals that are opened when the first call is asked about. If that fails, each method rejects, and the next call tries again.
 *
 * @param exists whether the store exists: reading does not create it
 */
export function lazyApprovals(open: () => Promise<ApprovalStore>, exists: () => boolean): ApprovalStore {
  let opened: ApprovalStore | undefined;
  const get = async () => (opened ??= await open());
  const look = async () => (opened !== undefined || exists() ? get() : undefined);
  return {
    ...forward(look, READS),
    ...forward(get, WRITES),
    grants: async (scope) => (await look())?.grants(scope) ?? [],
    allGrants: async () => (await look())?.allGrants() ?? [],
    requests: async () => (await look())?.requests() ?? [],
    watchRequests(onChange) {
      let stop: (() => void) | undefined;
      let isStopped = false;
      const start = async () => {
        const store = await get();
        if (!isStopped) stop = store.watchRequests?.(onChange);
      };
      // A failure to open is reported by the method that the caller uses next.
      start().catch(() => {});
      return () => {
        isStopped = true;
        stop?.();
      };
    },
    problem: () => opened?.problem?.(),
    close: async () => opened?.close?.(),
  };
}
