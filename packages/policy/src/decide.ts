export { decideChecked } from "./decide-checked.ts";
export type { AdministratorPolicy, PolicyOptions } from "./rules/policy-options.ts";
export type { WorkspacePolicy } from "./read/check-tightening.ts";
export type { PolicyConfig } from "./read/policy-config.ts";
export type { KeyPath, Positions } from "./read/problems.ts";
