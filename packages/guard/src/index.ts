export { agents, getAgent } from "./agents/agents.ts";
export { storeApprovals } from "./approvals/store-approvals.ts";
export type { GuardAgent, HookAnswer, ReadContext } from "./contract/agent.ts";
export type { GuardApprovals, GuardQuestion } from "./contract/approvals.ts";
export type { AgentId, GuardCall, GuardPayload } from "./contract/payload.ts";
export { MAX_REASON_CHARACTERS, type Verdict } from "./contract/verdict.ts";
export {
  type BrokenPolicy,
  type DecideContext,
  type GuardDecision,
  decide,
  verdictFromError,
} from "./decide/decide.ts";
export {
  type JudgeContext,
  type JudgedCall,
  type Judgement,
  getEffect,
  guardTools,
  sessionFacts,
} from "./decide/judge.ts";
export { type ProtectedPaths, describeViolation } from "./decide/protected-paths.ts";
export { importRules } from "./import/import-rules.ts";
export { importable } from "./import/importable.ts";
export { formatLocation } from "./import/policy-draft.ts";
export { describeVersion } from "./install/client-version.ts";
export { planCompanionFiles, removeCompanionFiles } from "./install/companion-files.ts";
export { UNOPTIMISED_FLAGS, createHookEntry } from "./install/create-hook-entry.ts";
export { readCurrentRules } from "./install/current-rules.ts";
export { type SettingsInspection, inspectSettings } from "./install/inspect-settings.ts";
export { parseHookEntry } from "./install/parse-hook-entry.ts";
export { changeAgentSettings, readAgentSettings, settingsError } from "./install/settings-file.ts";
export { type Evidence, timesSeen } from "./learn/evidence.ts";
export type { ReplaySummary } from "./learn/log-replay.ts";
export type { SkippedCall } from "./learn/log-summary.ts";
export type { Proposal } from "./learn/proposals.ts";
export { findRulesFile } from "./learn/rules-file.ts";
export { type Suggestion, suggest } from "./learn/suggest.ts";
export { AppliedRules } from "./rules/applied-rules.ts";
export { guardFolder } from "./rules/guard-folder.ts";
export type { GuardRules } from "./rules/guard-rules.ts";
export { guardWarnings } from "./rules/guard-warnings.ts";
export { isHaftServer } from "./servers/is-haft-server.ts";
export type { AgentSettings, SettingsLocation } from "./settings/agent-settings.ts";
export { allSettings } from "./settings/all-settings.ts";
export type { HookEntry } from "./settings/hook-entry.ts";
export { claudeRules } from "./settings/native/claude-rules.ts";
export { nativeRules } from "./settings/native/native-rules.ts";
export { pathDenials } from "./settings/native/path-denials.ts";
export { folderProblems } from "./settings/variables.ts";
