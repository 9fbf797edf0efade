import type { HookParts } from "./run-hook.ts";

export { answerMcp } from "./answer-mcp.ts";

const SILENT = { warn() {} };

/** What a hook needs now and then, each loaded by itself: rules that are read anew, the store of approvals, servers of an agent. */
export const lateParts: HookParts = {
  async writeDown(written, settings) {
    const { writeDown } = await import("./write-down.ts");
    return writeDown(written, settings);
  },
  async readRules(wanted, agent) {
    const [{ readRules }, { guardTools }] = await Promise.all([
      import("../rules/read-rules.ts"),
      import("@haft/guard"),
    ]);
    return readRules(wanted, guardTools(agent), { notes: true });
  },
  lookAbove: async () => (await import("../clients/look-with-ps.ts")).lookWithPs,
  isOwnServer: async () => (await import("../servers/is-own-server.ts")).isOwnServer,
  async openApprovals() {
    const [
      { operatorsRecords },
      { defaultStateFolder },
      { openFolderStore, openNatsStore },
      { storeApprovals },
    ] = await Promise.all([
      import("../../config/records/operators-records.ts"),
      import("../../boundary/state-folder.ts"),
      import("../../host/open-store.ts"),
      import("../approvals/store-approvals.ts"),
    ]);
    const { store, keep } = await operatorsRecords(undefined);
    const settings = { keep, logger: SILENT };
    const opened =
      typeof store === "object"
        ? await openNatsStore(store.nats, settings)
        : await openFolderStore(defaultStateFolder(), settings);
    return { approvals: storeApprovals(opened.approvals), close: () => opened.close() };
  },
};
