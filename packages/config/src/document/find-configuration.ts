import { getErrorMessage } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import {
  CODE_CONFIGURATION_NAMES,
  getWorkspaceConfigurationPaths,
  listRepositoryAncestors,
  toUserConfigurationPath,
  TEXT_CONFIGURATION_NAMES,
} from "../boundary/configuration-paths.ts";
import { resolveRealPath } from "../boundary/real-path.ts";
import { configError } from "../errors.ts";
import { TrustStore } from "../trust/trust-store.ts";
import { readUserFile } from "./check-ownership.ts";
import { isCode } from "./load-code.ts";
import { readPolicyFile } from "./policy-file.ts";
import { type ReadConfig, readConfig, type WorkspaceConfig } from "./read-config.ts";
import { readWorkspaceFile, type WorkspaceFile } from "./workspace/workspace-file.ts";
import { dropUntrustedLoosening, toWorkspaceRules } from "./workspace/workspace-rules.ts";

const MISNAMED = ["haft.config.yml", "haft.config.mts", "haft.config.mjs"];
const WHY_MISNAMED = "is not read: a configuration is named haft.config.yaml, .json, .ts or .js";

export interface ConfigurationCandidate {
  path: string;
  /** The operator named the path, it is the file of the user, or it is in or above the workspace. */
  as: "--config" | "HAFT_CONFIG" | "user" | "workspace" | "HAFT_POLICY";
  outcome: "used" | "absent" | "passed over";
  /** The end of a sentence that starts with the path, or lines with problems. */
  why?: string;
  /** `ended`: a trusted file has changed. */
  trust?: WorkspaceFile["trust"];
  notes?: readonly string[];
}

/** Contains the operator's configuration, and the files of the workspace, which only tighten until they are trusted. */
export interface Configuration {
  trusted: ReadConfig | undefined;
  policy:
    | (Pick<ReadConfig, "policySource" | "policyPositions" | "files"> & {
        config: ReadConfig["config"]["policy"];
      })
    | undefined;
  /** From the workspace upwards: rules of trusted files, and tightening rules of others. */
  workspace: readonly WorkspaceConfig[];
  /** From the workspace upwards: settings of trusted files, without rules. */
  layers: readonly ReadConfig[];
  candidates: ConfigurationCandidate[];
}

interface Wanted {
  named?: string;
  workspaceDir: string;
  hasPolicy: boolean;
  stateDir: string | false;
}

/**
 * Finds and reads the configuration of a host.
 *
 * @throws HaftError `CONFIG_INVALID`, `CONFIG_UNSAFE`, `PATH_RELATIVE`, `POLICY_UNREADABLE` for trusted files. `looked` reports the
 * problems of others.
 */
export async function findConfiguration({
  named,
  workspaceDir,
  hasPolicy,
  stateDir,
}: Wanted): Promise<Configuration> {
  const looked: ConfigurationCandidate[] = [];
  const trusted = await findOperatorConfiguration(named, looked);
  const policy = hasPolicy ? undefined : await findPolicy(looked);
  const store = stateDir === false ? undefined : new TrustStore(resolve(stateDir));
  const found = await findInWorkspace(workspaceDir, { store, believed: trusted, looked });
  const rules = found.flatMap((file) => file.rules);
  // An operator's policy replaces all trusted rules.
  const workspace =
    hasPolicy || policy !== undefined
      ? [...rules, ...ofBelieved(trusted, found)].map(dropUntrustedLoosening)
      : rules;
  return {
    trusted,
    policy,
    workspace,
    layers: found.flatMap(({ config }) => config ?? []),
    candidates: looked,
  };
}

function ofBelieved(trusted: ReadConfig | undefined, found: readonly WorkspaceFile[]): WorkspaceConfig[] {
  return trusted !== undefined && found.some(({ outcome }) => outcome === "believed")
    ? [toWorkspaceRules(trusted)]
    : [];
}

/** Finds the named file, else `HAFT_CONFIG`, else the file of the user. */
export async function findOperatorConfiguration(
  named: string | undefined,
  looked: ConfigurationCandidate[] = [],
): Promise<ReadConfig | undefined> {
  const variable = readPathVariable("HAFT_CONFIG");
  const path = named === undefined ? variable : resolve(named);
  if (path !== undefined) {
    looked.push({ path, as: named === undefined ? "HAFT_CONFIG" : "--config", outcome: "used" });
    return readConfig(path);
  }
  const [first, second] = [...TEXT_CONFIGURATION_NAMES, ...CODE_CONFIGURATION_NAMES]
    .map(toUserConfigurationPath)
    .filter(isThere);
  for (const each of MISNAMED.map(toUserConfigurationPath).filter(isThere))
    looked.push({ path: each, as: "user", outcome: "passed over", why: WHY_MISNAMED });
  if (second !== undefined)
    throw configError(
      "CONFIG_INVALID",
      `${first} and ${second} are both there, and one of them would be ignored.`,
      { fix: "Put both into one file, or name one with --config." },
    );
  if (first === undefined) {
    for (const name of [...TEXT_CONFIGURATION_NAMES, ...CODE_CONFIGURATION_NAMES])
      looked.push({ path: toUserConfigurationPath(name), as: "user", outcome: "absent" });
    return undefined;
  }
  looked.push({ path: first, as: "user", outcome: "used" });
  // People link such files from a repository.
  if (!existsSync(first)) return readConfig(first);
  const real = realpathSync(first);
  const why = foreign(real);
  if (why !== undefined)
    throw configError("CONFIG_UNSAFE", `${first} ${real === first ? "" : `leads to ${real}, which `}${why}.`);
  return readConfig(first);
}

/** Nothing starts without the rules of a dangling link. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw configError("CONFIG_INVALID", `${path} cannot be looked for: ${getErrorMessage(thrown)}.`, {
      fix: "Give this user read access, or name a configuration with --config or HAFT_CONFIG; --no-config reads none.",
    });
  }
}

function foreign(path: string): string | undefined {
  const read = readUserFile(path);
  return read !== undefined && "why" in read ? read.why : undefined;
}

async function findPolicy(looked: ConfigurationCandidate[]): Promise<Configuration["policy"]> {
  const path = readPathVariable("HAFT_POLICY");
  if (path === undefined) return undefined;
  looked.push({ path, as: "HAFT_POLICY", outcome: "used" });
  const { config, positions, files } = await readPolicyFile(path);
  return { config, policySource: path, policyPositions: positions, files: [path, ...files] };
}

/** An agent could control a relative path in a workspace. */
export function readPathVariable(variable: "HAFT_CONFIG" | "HAFT_POLICY"): string | undefined {
  const value = process.env[variable] ?? "";
  if (value === "") return undefined;
  if (isAbsolute(value)) return value;
  const message = `${variable} is ${JSON.stringify(value)}, which is another file wherever Haft is started.`;
  throw configError("PATH_RELATIVE", message, { fix: `Give ${variable} an absolute path.` });
}

/** A second file must not disable the first. */
async function findInWorkspace(
  workspaceDir: string,
  {
    store,
    believed,
    looked,
  }: { store: TrustStore | undefined; believed: ReadConfig | undefined; looked: ConfigurationCandidate[] },
): Promise<WorkspaceFile[]> {
  const files: WorkspaceFile[] = [];
  const read = believed === undefined ? undefined : resolveRealPath(believed.source);
  for (const folder of listRepositoryAncestors(workspaceDir)) {
    for (const name of [...TEXT_CONFIGURATION_NAMES, ...CODE_CONFIGURATION_NAMES, ...MISNAMED]) {
      const path = join(folder, name);
      if (MISNAMED.includes(name)) {
        if (lstatSync(path, { throwIfNoEntry: false }))
          looked.push({ path, as: "workspace", outcome: "passed over", why: WHY_MISNAMED });
        continue;
      }
      if (path === read) {
        files.push({ outcome: "believed", notes: [], rules: [] });
        continue;
      }
      const file = await readWorkspaceFile(path, store);
      if (file.outcome === "absent" && isCode(path)) continue;
      const { outcome, why, trust, notes } = file;
      if (outcome !== "believed")
        looked.push(
          withoutUndefined<ConfigurationCandidate>({ path, as: "workspace", outcome, why, trust, notes }),
        );
      files.push(file);
    }
  }
  return files;
}

/** Returns real paths, the nearest first. */
export function listWorkspaceConfigurations(workspaceDir: string): string[] {
  return getWorkspaceConfigurationPaths(workspaceDir).filter(
    (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  );
}

export function isConfigurationName(name: string): boolean {
  return [...TEXT_CONFIGURATION_NAMES, ...CODE_CONFIGURATION_NAMES].includes(name);
}
