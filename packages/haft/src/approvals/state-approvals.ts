import type { Logger } from "@haft/core";
import type { ApprovalStore } from "@haft/core/kernel";

/**
 * Approvals of a state folder, opened when the first call is asked about: with what the folder of earlier versions had. What
 * cannot be opened says so then, every time.
 *
 * @param folder where earlier versions kept them, where there is one
 * @param isThere whether anything was kept yet: to look does not make a file
 */
export function stateApprovals(
  open: () => Promise<ApprovalStore>,
  folder: string | undefined,
  logger?: Pick<Logger, "warn">,
  isThere: () => boolean = () => true,
): ApprovalStore {
  let opening: Promise<ApprovalStore> | undefined;
  let opened: ApprovalStore | undefined;
  const openOnce = async (): Promise<ApprovalStore> => {
    const store = await open();
    if (folder !== undefined) {
      const { moveFolder } = await import("./move-folder.ts");
      await moveFolder(folder, store, logger);
    }
    return (opened = store);
  };
  const get = (): Promise<ApprovalStore> =>
    (opening ??= openOnce().catch((thrown: unknown) => {
      opening = undefined;
      throw thrown;
    }));
  const look = async (): Promise<ApprovalStore | undefined> =>
    opening !== undefined || isThere() ? get() : undefined;
  return {
    grants: async (scope) => (await look())?.grants(scope) ?? [],
    allGrants: async () => (await look())?.allGrants() ?? [],
    addGrant: async (grant) => (await get()).addGrant(grant),
    useGrant: async (id) => (await get()).useGrant(id),
    revoke: async (id) => (await get()).revoke(id),
    addRequest: async (request) => (await get()).addRequest(request),
    removeRequest: async (id, why) => (await get()).removeRequest(id, why),
    requests: async () => (await look())?.requests() ?? [],
    answer: async (id, answer) => (await get()).answer(id, answer),
    answered: async (id, signal) => (await get()).answered(id, signal),
    takeAnswer: async (which) => (await look())?.takeAnswer?.(which),
    keptAnswer: async (which) => (await look())?.keptAnswer?.(which),
    find: async (id) => (await look())?.find?.(id),
    wasHeard: async (id, withinMs) => (await get()).wasHeard?.(id, withinMs) ?? false,
    watchRequests(onChange) {
      const stopped = new AbortController();
      void watchWith(get, onChange, stopped.signal);
      return () => stopped.abort();
    },
    sweep: async () => (await get()).sweep?.(),
    problem: () => opened?.problem?.(),
    close: async () => opened?.close?.(),
  };
}

async function watchWith(
  get: () => Promise<ApprovalStore>,
  look: () => void,
  stopped: AbortSignal,
): Promise<void> {
  try {
    const store = await get();
    if (stopped.aborted) return;
    const stop = store.watchRequests?.(look);
    stopped.addEventListener("abort", () => stop?.());
  } catch {
    // Whoever looks is told by what they look at.
  }
}
