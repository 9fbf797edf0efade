export { type CommandSample, commandSamples } from "./review/command-samples.ts";
export { createPolicy } from "./create-policy.ts";
export type { ExplainingPolicy, PolicyWarning } from "./create-policy.ts";
export type { AdministratorPolicy, PolicyOptions } from "./rules/compile-policy.ts";
export {
  type LooseningViolation,
  splitTightening,
  type TighteningRules,
  type WorkspacePolicy,
} from "./read/check-tightening.ts";
export type { RequestedContainment } from "./rules/containment.ts";
export { reachesHost } from "./rules/network.ts";
export type { ElevatedRules, ExecRules } from "./read/exec-config.ts";
export { defaultSafeBins } from "./rules/command-list.ts";
export type { DecisionSummary, ExplainedStep, Explanation } from "./explain/explain.ts";
export { formatExplanation } from "./explain/explain.ts";
export { parsePolicyConfig } from "./read/parse-policy.ts";
export { type PolicyConfig, type PolicyMode, sessionKinds, type SessionRules } from "./read/policy-config.ts";
export { formatPath, type KeyPath, type PolicyProblem, type SourceMap } from "./read/problems.ts";
export { policySchema } from "./read/policy-schema.ts";
export type { JsonSchema } from "./read/shape.ts";
export { runPolicyTest, parsePolicyTests } from "./review/policy-test.ts";
export type {
  ExpectedContainment,
  ExpectedEffect,
  PolicyExpectation,
  PolicyTestResult,
} from "./review/policy-test.ts";
export { exactCommandPattern } from "./patterns/command-pattern.ts";
export { escapePath } from "./patterns/path-glob.ts";
export { type Profile, type ProfileName, profiles } from "./patterns/profiles.ts";
export type { AnswerRange } from "./explain/answer-range.ts";
export {
  effectsByKind,
  matrixLabel,
  matrixLegend,
  readCell,
  readMatrix,
  getCellReason,
} from "./explain/read-matrix.ts";
export type { MatrixCell, MatrixRow, MatrixEffect } from "./explain/read-matrix.ts";
export { formatTable } from "./text/sentence.ts";
export { sessionTable } from "./rules/session-table.ts";
export type { CellVerdict, SessionTable, TableCell, TableRow } from "./rules/session-table.ts";
