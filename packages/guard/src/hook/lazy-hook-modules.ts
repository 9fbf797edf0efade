import { getErrorMessage } from "@haft/core";
import type { HookModules } from "./run-hook.ts";

const SILENT = { warn() {} };

/** Loads modules on first use. */
export const lazyHookModules: HookModules = {
  async auditDecision(written, settings) {
    const { auditDecision } = await import("./audit-decision.ts");
    return auditDecision(written, settings);
  },
  async readRules(wanted, agent) {
    const [{ readGuardRules }, { guardTools }, { createValidatedPolicy }] = await Promise.all([
      import("../rules/read-rules.ts"),
      import("../decide/judge.ts"),
      import("../rules/validated-policy.ts"),
    ]);
    const rules = await readGuardRules(wanted, guardTools(agent), { notes: true });
    if (rules.broken !== undefined) return rules;
    try {
      createValidatedPolicy(rules, agent);
      return rules;
    } catch (thrown) {
      return { ...rules, broken: { problem: getErrorMessage(thrown), files: rules.files } };
    }
  },
  loadFindProcess: async () => (await import("../clients/find-process-with-ps.ts")).findProcessWithPs,
  loadHaftServerCheck: async () => (await import("../servers/is-haft-server.ts")).isHaftServer,
  async openApprovals() {
    const [
      { readRecordSettings },
      { defaultStateFolder },
      { openFolderStore, openConfiguredNatsStore },
      { storeApprovals },
    ] = await Promise.all([
      import("@haft/config/internal/document"),
      import("@haft/config/internal/boundary"),
      import("@haft/host/internal/store"),
      import("../approvals/store-approvals.ts"),
    ]);
    const { store, keep } = await readRecordSettings(undefined);
    const settings = { keep, logger: SILENT };
    const opened =
      typeof store === "object"
        ? await openConfiguredNatsStore(store.nats, settings)
        : await openFolderStore(defaultStateFolder(), settings);
    return { approvals: storeApprovals(opened.approvals), close: () => opened.close() };
  },
};
