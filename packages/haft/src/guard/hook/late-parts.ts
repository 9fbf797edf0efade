import { messageOf } from "@haft/core";
import type { HookParts } from "./run-hook.ts";

const SILENT = { warn() {} };

/** What a hook needs now and then, each loaded by itself: rules that are read anew, the store of approvals, servers of an agent. */
export const lateParts: HookParts = {
  async writeDown(written, settings) {
    const { writeDown } = await import("./write-down.ts");
    return writeDown(written, settings);
  },
  async readRules(wanted, agent) {
    const [{ readGuardRules }, { guardTools }, { policyOf }] = await Promise.all([
      import("../rules/read-rules.ts"),
      import("@haft/guard"),
      import("../rules/policy-of.ts"),
    ]);
    const rules = await readGuardRules(wanted, guardTools(agent), { notes: true });
    if (rules.broken !== undefined) return rules;
    try {
      // Kept rules are not checked again.
      policyOf(rules, agent);
      return rules;
    } catch (thrown) {
      return { ...rules, broken: { problem: messageOf(thrown), files: rules.files } };
    }
  },
  lookAbove: async () => (await import("../clients/look-with-ps.ts")).lookWithPs,
  isOwnServer: async () => (await import("../servers/is-own-server.ts")).isOwnServer,
  async openApprovals() {
    const [
      { operatorsRecords },
      { defaultStateFolder },
      { openFolderStore, openConfiguredNatsStore },
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
        ? await openConfiguredNatsStore(store.nats, settings)
        : await openFolderStore(defaultStateFolder(), settings);
    return { approvals: storeApprovals(opened.approvals), close: () => opened.close() };
  },
};
