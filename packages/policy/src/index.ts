export { type CommandSample, commandSamples } from "./review/command-samples.ts";
export { createPolicy } from "./create-policy.ts";
export type { ExplainingPolicy } from "./create-policy.ts";
export type { AdministratorPolicy, PolicyOptions } from "./rules/compile-policy.ts";
export { splitTightening, type TighteningRules, type WorkspacePolicy } from "./read/check-tightening.ts";
export type { RequestedContainment } from "./rules/containment.ts";
export { reachesHost } from "./rules/network.ts";
export type { Explanation } from "./explain/explain.ts";
export { formatExplanation } from "./explain/explain.ts";
export { parsePolicyConfig } from "./read/parse-policy.ts";
export { type PolicyConfig, sessionKinds, type SessionRules } from "./read/policy-config.ts";
export { formatPath, type KeyPath, type PolicyProblem, type SourceMap } from "./read/problems.ts";
export { policySchema } from "./read/policy-schema.ts";
export type { JsonSchema } from "./read/shape.ts";
export { runPolicyTest, parsePolicyTests } from "./review/policy-test.ts";
export type { PolicyExpectation, PolicyTestResult } from "./review/policy-test.ts";
export { exactCommandPattern } from "./patterns/command-pattern.ts";
export { escapePath } from "./patterns/path-glob.ts";
export { profiles } from "./patterns/profiles.ts";
export {
  effectsByKind,
  matrixLabel,
  matrixLegend,
  readCell,
  readMatrix,
  getCellReason,
} from "./explain/read-matrix.ts";
export type { MatrixCell } from "./explain/read-matrix.ts";
export { formatTable } from "./text/sentence.ts";
