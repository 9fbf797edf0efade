import { splitTightening } from "@haft/policy";
import type { SandboxCaps } from "../../settings/sandbox-settings.ts";
import type { ReadConfig, WorkspaceConfig } from "../read-config.ts";

/** Returns the rules of a trusted configuration. Its sandbox limits are separate. */
export function toWorkspaceRules({
  source,
  config,
  policySource,
  policyPositions,
  positions,
}: ReadConfig): WorkspaceConfig {
  const { policy = {}, sandbox } = config;
  const limits = getWorkspaceLimits(sandbox);
  return {
    file: source,
    source: policySource,
    config: policy,
    positions: policyPositions,
    trusted: true,
    ...(limits && { limits, filePositions: positions }),
  };
}

export function getWorkspaceLimits(sandbox: ReadConfig["config"]["sandbox"]): SandboxCaps | undefined {
  return sandbox ? sandbox.limits : undefined;
}

/** Returns the tightening part, for use when the operator names other rules. */
export function dropUntrustedLoosening({ config, trusted, ...rules }: WorkspaceConfig): WorkspaceConfig {
  return { ...rules, config: trusted === true ? splitTightening(config).rules : config };
}
