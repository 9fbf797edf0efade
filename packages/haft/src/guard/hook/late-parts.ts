import { guardTools } from "@haft/guard";
import { defaultStateFolder } from "../../boundary/state-folder.ts";
import { openFolderStore, openNatsStore } from "../../host/open-store.ts";
import { storeApprovals } from "../approvals/store-approvals.ts";
import { readRules } from "../rules/read-rules.ts";
import type { HookParts } from "./run-hook.ts";
import { writeDown } from "./write-down.ts";

const SILENT = { warn() {} };

/** What a hook needs now and then: rules that are read anew, and the store of approvals. */
export const lateParts: HookParts = {
  writeDown,
  readRules: (wanted, agent) => readRules(wanted, guardTools(agent), { notes: true }),
  lookAbove: async () => (await import("../clients/look-with-ps.ts")).lookWithPs,
  async openApprovals() {
    const { operatorsRecords } = await import("../../config/records/operators-records.ts");
    const { store, keep } = await operatorsRecords(undefined);
    const settings = { keep, logger: SILENT };
    const opened =
      typeof store === "object"
        ? await openNatsStore(store.nats, settings)
        : await openFolderStore(defaultStateFolder(), settings);
    return { approvals: storeApprovals(opened.approvals), close: () => opened.close() };
  },
};
