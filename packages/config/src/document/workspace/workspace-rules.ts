import { splitTightening } from "@haft/policy";
import type { SandboxCaps } from "../../settings/sandbox-settings.ts";
import type { ReadConfig, WorkspaceConfig } from "../read-config.ts";

/** The rules of a configuration that is trusted. The most that it lets sandboxes use it says as others do. */
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

/** What is left of trusted rules where the operator names others instead. */
export function dropUntrustedLoosening({ config, trusted, ...rules }: WorkspaceConfig): WorkspaceConfig {
  return { ...rules, config: trusted === true ? splitTightening(config).rules : config };
}
