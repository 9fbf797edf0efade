import { readPolicyFile } from "@haft/config";
import { isRecordingDisabled, disableRecording } from "@haft/config/internal/audit";
import {
  selectUsableRules,
  type Configuration,
  readMachinePolicy,
  readPathVariable,
} from "@haft/config/internal/document";
import type { SandboxCaps } from "@haft/config/internal/settings";
import { invalidOptions, type ToolFacts } from "@haft/core";
import {
  type AdministratorPolicy,
  createPolicy,
  type ExplainingPolicy,
  type PolicyConfig,
  type SourceMap,
  splitTightening,
  type WorkspacePolicy,
} from "@haft/policy";
import { withoutUndefined } from "@haft/utils";
import { resolve } from "node:path";
import {
  listWorkspaceCaps,
  findHostConfiguration,
  type ReadOptions,
  withConfiguration,
} from "./configured-options.ts";
import type { HostOptions } from "./host-options.ts";

export interface HostRules {
  configuration: Configuration | undefined;
  options: ReadOptions;
  trustedFiles: readonly string[];
}

interface RuleFile {
  path: string;
  name: string;
}

const REPLACES = Symbol("replaces the configured policy");

/** Marks options whose policy replaces that of a configuration, as `--policy` does. Other hosts must not lose rules silently. */
export function replaceConfiguredPolicy<Options extends HostOptions>(options: Options): Options {
  return { ...options, [REPLACES]: true };
}

/** @throws HaftError `INVALID_OPTIONS` if a policy in code would replace configured rules */
function requireOnePolicy(given: HostOptions, { trusted, layers }: Configuration): void {
  if (given.policy === undefined || REPLACES in given) return;
  const others = [
    readPathVariable("HAFT_POLICY"),
    trusted && Object.keys(trusted.config.policy ?? {}).length > 0 ? trusted.policySource : undefined,
    ...layers
      .filter(({ config }) => splitTightening(config.policy ?? {}).beyond.length > 0)
      .map(({ policySource }) => policySource),
  ].filter((source) => source !== undefined);
  if (others.length === 0) return;
  throw invalidOptions(
    `createHost: policy would replace the rules of ${others.join(" and ")}, with their denials.`,
    "Put all rules into one place: omit the option policy, or remove the rules there; `config: false` reads no configuration.",
  );
}

/** The working folder may change later. */
export function resolveRuleFiles(given: HostOptions): {
  given: HostOptions;
  files: { policy?: RuleFile; administrator?: RuleFile };
} {
  const { config, policy, policySource, administratorPolicy: administrator } = given;
  const file = (path: unknown, name?: string) =>
    typeof path === "string" ? { path: resolve(path), name: name ?? path } : undefined;
  return {
    given: typeof config === "string" ? { ...given, config: resolve(config) } : given,
    files: withoutUndefined({
      policy: file(policy, policySource),
      administrator: file(administrator),
    }),
  };
}

export async function readRules({ given, files }: ReturnType<typeof resolveRuleFiles>): Promise<HostRules> {
  const configuration = await findHostConfiguration(given);
  if (configuration !== undefined) requireOnePolicy(given, configuration);
  const { config: _config, policy, administratorPolicy, ...rest } = given;
  const named = files.policy && (await readPolicyFile(files.policy.path));
  const administrator = await readAdministrator(administratorPolicy, files.administrator);
  const readOptions = withoutUndefined<ReadOptions>({
    ...rest,
    ...(named
      ? { policy: named.config, policySource: files.policy?.name, policyPositions: named.positions }
      : { policy: policy as PolicyConfig | undefined }),
    administratorPolicy: administrator?.rules ?? false,
  });
  const besides = [
    ...(files.policy ? [files.policy.path] : []),
    ...(named?.files ?? []),
    ...(administrator?.files ?? []),
  ];
  const { trusted, policy: ofEnvironment } = configuration ?? {};
  const believed = [...besides, ...(trusted?.files ?? []), ...(ofEnvironment?.files ?? [])];
  const options =
    configuration === undefined
      ? readOptions
      : withConfiguration(
          isRecordingDisabled(given) ? disableRecording(readOptions) : readOptions,
          configuration,
        );
  return { configuration, options: withPreset(holding(options, besides)), trustedFiles: believed };
}

function withPreset(options: ReadOptions): ReadOptions {
  const { preset, policy = {} } = options;
  if (preset === undefined || policy.exec !== undefined || policy.sessions?.main?.exec !== undefined)
    return options;
  return { ...options, policy: { ...policy, exec: { preset } } };
}

export interface ReplacementRules {
  config: PolicyConfig;
  source: string;
  positions: SourceMap;
}

/**
 * Returns the policy with other operator rules. The rules of the administrator and the workspace stay.
 *
 * @throws HaftError `POLICY_INVALID`
 */
export function policyWith(
  rules: HostRules,
  { config, source, positions }: ReplacementRules,
  tools: readonly ToolFacts[],
  workspace: readonly WorkspacePolicy[],
): ExplainingPolicy {
  const given = { ...rules.options, policy: config, policySource: source, policyPositions: positions };
  return composePolicy({ ...rules, options: withPreset(given) }, tools, workspace);
}

/** Returns a host's options with the content of its files, for inspection. */
export async function readEffectiveOptions(
  given: HostOptions,
  tools: readonly ToolFacts[],
): Promise<{ options: ReadOptions; caps: readonly SandboxCaps[] }> {
  const { configuration, options } = await readRules(resolveRuleFiles(given));
  return {
    options,
    caps: configuration === undefined ? [] : listWorkspaceCaps(selectUsableRules(configuration, tools)),
  };
}

function holding(options: ReadOptions, files: readonly string[]): ReadOptions {
  const { boundary } = options;
  if (boundary?.code === false || files.length === 0) return options;
  return { ...options, boundary: { ...boundary, code: [...(boundary?.code ?? []), ...files] } };
}

async function readAdministrator(
  given: HostOptions["administratorPolicy"],
  file: RuleFile | undefined,
): Promise<{ rules: AdministratorPolicy; files: readonly string[] } | undefined> {
  if (given === false) return undefined;
  if (file !== undefined) {
    const { config, positions, files } = await readPolicyFile(file.path);
    return { rules: { config, positions, source: file.name }, files: [file.path, ...files] };
  }
  if (given !== undefined) return { rules: given as AdministratorPolicy, files: [] };
  const machine = await readMachinePolicy();
  return machine && { rules: machine, files: [machine.source, ...machine.files] };
}

/** @throws HaftError `POLICY_INVALID` */
export function composePolicy(
  { options }: HostRules,
  tools: readonly ToolFacts[],
  workspace: readonly WorkspacePolicy[],
): ExplainingPolicy {
  const { policy = {}, policySource, policyPositions, administratorPolicy } = options;
  return createPolicy(
    policy,
    withoutUndefined({
      tools,
      source: policySource,
      positions: policyPositions,
      administrator: administratorPolicy === false ? undefined : administratorPolicy,
      workspace,
    }),
  );
}
