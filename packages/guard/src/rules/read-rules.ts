import { readPolicyFile } from "@haft/config";
import {
  getWorkspaceConfigurationPaths,
  MACHINE_FILE,
  getMachinePolicyPath,
  getUserConfigurationPaths,
} from "@haft/config/internal/boundary";
import {
  type Configuration,
  findConfiguration,
  readMachinePolicy,
  findRuleProblem,
} from "@haft/config/internal/document";
import { getErrorMessage, type ToolFacts } from "@haft/core";
import { type KeyPath, parsePolicyConfig, type PolicyConfig, type SourceMap } from "@haft/policy";
import { shellWord, withoutUndefined } from "@haft/utils";
import { statSync } from "node:fs";
import { AppliedRules } from "./applied-rules.ts";
import { guardFolder } from "./guard-folder.ts";
import type { GuardRules, RulesDocument, RulesRequest } from "./guard-rules.ts";

/**
 * An invalid or removed file of administrator or operator makes all rules unusable. A workspace file only adds a note.
 *
 * @param notes Records the files, to notice a removal.
 */
export async function readGuardRules(
  wanted: RulesRequest,
  tools: readonly ToolFacts[],
  { notes }: { notes: boolean },
): Promise<GuardRules> {
  const named = namedFiles(wanted);
  const folder = guardFolder();
  const inForce = folder === undefined ? undefined : new AppliedRules(folder);
  try {
    const first = defaultPaths();
    const [missed] = inForce?.findMissing(first) ?? [];
    if (missed !== undefined) {
      const problem = `${missed} was in force and no longer exists, so its rules are missing`;
      return nothing({ problem, files: named, wayOut: forgetting(missed) });
    }
    for (const path of named) requireFile(path);
    const rules = await read(wanted, tools, named);
    const ofWorkspace = inForce?.findMissing(wanted.folders.flatMap(getWorkspaceConfigurationPaths)) ?? [];
    if (notes) {
      const applied = first.filter((path) => rules.files.includes(path));
      inForce?.record([...applied, ...rules.workspace.map(({ source }) => source)]);
    }
    const removed = ofWorkspace.map(
      (path) =>
        `${path} was in force here and no longer exists; the other rules apply. To confirm the removal, a person runs: ${forgetting(path)}`,
    );
    return removed.length === 0 ? rules : { ...rules, notes: [...rules.notes, ...removed] };
  } catch (thrown) {
    return nothing({ problem: getErrorMessage(thrown), files: named });
  }
}

function nothing(broken: NonNullable<GuardRules["broken"]>): GuardRules {
  return { workspace: [], notes: [], files: broken.files, broken };
}

function forgetting(path: string): string {
  return `haft guard forget ${shellWord(path)}`;
}

function defaultPaths(): string[] {
  const machine = process.env["HAFT_ADMIN_POLICY"] === undefined ? [MACHINE_FILE] : [];
  const userPaths = getUserConfigurationPaths();
  const found = userPaths.filter(isThere);
  return [...machine, ...(found.length > 0 ? found : userPaths)];
}

/** If a configured or existing file is missing, every call is denied. */
function namedFiles({ policyFile }: RulesRequest): string[] {
  const { HAFT_CONFIG: config = "", HAFT_POLICY: policy = "" } = process.env;
  const userPaths = getUserConfigurationPaths().filter((path) => isThere(path));
  const ofOperator = policyFile === undefined ? [config, policy] : [policyFile, config];
  return [...[getMachinePolicyPath(), ...ofOperator].filter((path) => path !== ""), ...userPaths];
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Reading a pipe would block. */
function requireFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`${path} does not exist, so its rules are missing`);
  if (!found.isFile()) throw new Error(`${path} is not a file`);
}

async function read(
  { policyFile, folders }: RulesRequest,
  tools: readonly ToolFacts[],
  named: readonly string[],
): Promise<GuardRules> {
  const machine = await readMachinePolicy();
  const ofFile = policyFile === undefined ? undefined : await readPolicyFile(policyFile);
  const found: Configuration[] = [];
  for (const workspaceDir of folders)
    found.push(
      // Trust in a workspace only applies to sessions of a host.
      await findConfiguration({ workspaceDir, hasPolicy: policyFile !== undefined, stateDir: false }),
    );
  const { trusted, policy: ofEnvironment } = found[0] ?? {};
  const configured = ofEnvironment ?? (trusted && { ...trusted, config: trusted.config.policy });
  const operator = withoutUndefined<Source>(
    ofFile !== undefined
      ? { config: ofFile.config, source: policyFile, positions: ofFile.positions }
      : {
          config: configured?.config,
          source: configured?.policySource,
          positions: configured?.policyPositions,
        },
  );
  const all = [machine, ofFile, ofEnvironment, trusted].flatMap((each) => each?.files ?? []);
  const { workspace, notes } = ofWorkspaces(found, tools);
  return withoutUndefined<GuardRules>({
    administrator: machine && toDocument(machine),
    policy: operator.config === undefined ? undefined : toDocument(operator),
    workspace,
    notes,
    audit: trusted?.config.audit,
    files: [...new Set([...named, ...all])],
  });
}

interface Source {
  config?: PolicyConfig;
  source?: string;
  positions?: SourceMap;
}

function ofWorkspaces(
  found: readonly Configuration[],
  tools: readonly ToolFacts[],
): Pick<GuardRules, "workspace" | "notes"> {
  const byFile = new Map<string, RulesDocument>();
  const notes = new Map<string, string>();
  for (const { workspace, candidates } of found) {
    for (const { path, as, outcome, why } of candidates)
      if (as === "workspace" && outcome === "passed over")
        notes.set(path, `${path} is not in force, but the other rules are: ${firstLine(why)}`);
    for (const rules of workspace) {
      const problem = findRuleProblem(rules, tools, true);
      if (problem === undefined) byFile.set(rules.file, toDocument(rules));
      else
        notes.set(
          rules.file,
          `${rules.file} is not in force, but the other rules are: ${firstLine(problem.message)}`,
        );
    }
  }
  return { workspace: [...byFile.values()], notes: [...notes.values()] };
}

function firstLine(text = ""): string {
  return text.split("\n", 1)[0]!.replace(/\.$/, "") + ".";
}

/** Validated without tools, so an error has its line. */
function toDocument({ config = {}, source = "the policy", positions }: Source): RulesDocument {
  parsePolicyConfig(config, source, positions);
  const lines: Record<string, number> = {};
  const files: Record<string, string> = {};
  const note = (path: KeyPath, value: unknown): void => {
    const line = positions?.(path);
    const file = positions?.fileOf?.(path);
    if (line !== undefined) lines[JSON.stringify(path)] = line;
    if (file !== undefined) files[JSON.stringify(path)] = file;
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value))
      note([...path, Array.isArray(value) ? Number(key) : key], inner);
  };
  note([], config);
  return { config, source, lines, files };
}
