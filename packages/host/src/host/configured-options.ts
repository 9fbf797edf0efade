import { isRecordingDisabled } from "@haft/config/internal/audit";
import { configFolder, defaultStateFolder } from "@haft/config/internal/boundary";
import {
  type Configuration,
  mergeConfig,
  mergeSandboxSetting,
  type WorkspaceConfig,
  toNodesSettings,
  toStoreSetting,
} from "@haft/config/internal/document";
import { type HostMcpSettings, type FileCaps, OPERATORS_FILE } from "@haft/config/internal/settings";
import type { AdministratorPolicy, PolicyConfig } from "@haft/policy";
import { withoutUndefined } from "@haft/utils";
import { dirname, join } from "node:path";
import type { HostOptions, HostSessionOptions } from "./host-options.ts";

export type ReadOptions = Omit<HostOptions, "config" | "policy" | "administratorPolicy"> & {
  policy?: PolicyConfig;
  administratorPolicy?: AdministratorPolicy | false;
};

export async function findHostConfiguration({
  config,
  workspaceDir,
  policy,
  stateDir,
}: HostOptions): Promise<Configuration | undefined> {
  if (config === undefined || config === false) return undefined;
  const { findConfiguration } = await import("@haft/config/internal/document");
  return findConfiguration({
    ...(config === true ? {} : { named: config }),
    workspaceDir: workspaceDir ?? process.cwd(),
    hasPolicy: policy !== undefined,
    stateDir: stateDir ?? defaultStateFolder(),
  });
}

/** Merges options over the configuration, root by root and setting by setting. A policy is replaced as a whole. */
export function withConfiguration(options: ReadOptions, configuration: Configuration): ReadOptions {
  const { trusted, policy, workspace, layers } = configuration;
  const config = mergeConfig(configuration);
  const { roots, sandbox, boundary, network } = options;
  const rules = policy ?? (trusted && { ...trusted, config: trusted.config.policy });
  const mcp = readMcpSettings(configuration);
  const files = [
    mcp.file,
    ...(trusted?.files ?? []),
    ...layers.flatMap((each) => each.files),
    ...(policy?.files ?? []),
    ...workspace.map(({ file }) => file),
  ];
  const trustedConfig = trusted?.config ?? {};
  const { record, durability, keep, onStoreFault, audit, approvals, telemetry, nodes } = trustedConfig;
  return withoutUndefined<ReadOptions>({
    record,
    durability,
    keep,
    onStoreFault,
    store: toStoreSetting(trustedConfig),
    ...(!isRecordingDisabled(options) && { audit, telemetry }),
    notify: approvals?.notify,
    nodes: nodes && toNodesSettings(nodes, trustedConfig.nats),
    mcp,
    ...withoutUndefined(options),
    ...(options.policy === undefined && rules?.config !== undefined
      ? { policy: rules.config, policySource: rules.policySource, policyPositions: rules.policyPositions }
      : {}),
    roots: config.roots === undefined ? roots : { ...config.roots, ...roots },
    sandbox: mergeSandboxSetting(config.sandbox, sandbox),
    network:
      config.network === undefined
        ? network
        : { allowPrivate: [...(config.network.allowPrivate ?? []), ...(network?.allowPrivate ?? [])] },
    plugins: config.plugins === undefined ? options.plugins : [...config.plugins, ...(options.plugins ?? [])],
    // File tools and contained commands must not change the files of this start.
    boundary:
      boundary?.code === false ? boundary : { ...boundary, code: [...(boundary?.code ?? []), ...files] },
  });
}

/** Returns the operator's servers, and the file that records their acceptance. */
export function readMcpSettings({
  trusted,
}: Pick<Configuration, "trusted">): HostMcpSettings & { file: string } {
  const folder = trusted === undefined ? configFolder() : dirname(trusted.source);
  return { ...trusted?.config.mcp, file: join(folder, OPERATORS_FILE) };
}

export function withModel(
  session: HostSessionOptions,
  configuration: Configuration | undefined,
): HostSessionOptions {
  const model = configuration && mergeConfig(configuration).model;
  return model === undefined ? session : { ...session, model: { ...model, ...session.model } };
}

export function listWorkspaceCaps(workspace: readonly WorkspaceConfig[]): FileCaps[] {
  return workspace.flatMap(({ limits, file }) => (limits === undefined ? [] : { ...limits, source: file }));
}
