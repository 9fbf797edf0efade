import { readPolicyFile } from "@haft/config";
import { findConfiguration, isCode } from "@haft/config/internal/document";
import type { KeyPath, PolicyConfig } from "@haft/policy";
import { readText } from "@haft/system";
import { existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Describes the operator's rules. */
export interface RulesFile {
  file: string;
  /** Keys above the rules. Can be empty. */
  prefix: KeyPath;
  /** `undefined` if there is no file. */
  text: string | undefined;
  config: PolicyConfig;
  findOtherFile: (list: KeyPath) => string | undefined;
}

/**
 * Returns the file with the operator's rules for agents, or `undefined`.
 *
 * @param named Absolute path of a policy file that replaces the configuration.
 * @throws HaftError if a file cannot be read; Error with a sentence without a full stop if the rules are code
 *
 * @example
 * ```ts
 * import { findRulesFile, suggest } from "@haft/guard/internal/agents";
 * const file = await findRulesFile("/etc/agent/policy.yaml");
 * const suggestion = file && (await suggest("/var/log/agent/audit.jsonl", file, Date.now() - 7 * 86_400_000));
 * ```
 */
export async function findRulesFile(named: string | undefined): Promise<RulesFile | undefined> {
  if (named !== undefined) {
    if (!existsSync(named))
      return { file: named, prefix: [], text: undefined, config: {}, findOtherFile: nowhere };
    if (!statSync(named).isFile()) throw new Error(`${named} is not a file`);
    const { config, positions } = await readPolicyFile(named);
    return {
      file: named,
      prefix: [],
      text: readText(named),
      config,
      findOtherFile: (list) => positions.fileOf?.(list),
    };
  }
  const { policy, trusted } = await findConfiguration({
    workspaceDir: process.cwd(),
    hasPolicy: false,
    stateDir: false,
  });
  if (policy?.config !== undefined) return findRulesFile(policy.policySource);
  const rules = trusted?.config.policy;
  if (trusted === undefined || rules === undefined) return undefined;
  const { source, policySource, policyPositions } = trusted;
  if (source !== policySource) return findRulesFile(policySource);
  if (isCode(source)) throw new Error(`the rules in ${source} are code, which a diff cannot change safely`);
  return {
    file: source,
    prefix: ["policy"],
    text: readText(source),
    config: rules,
    findOtherFile: (list) => policyPositions.fileOf?.(list),
  };
}

const nowhere = () => undefined;

/** `git apply` starts at the root of a repository. */
export function findDiffLocation(file: string): { folder: string; name: string } {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return { folder, name: relative(folder, file) };
    if (dirname(folder) === folder) return { folder: dirname(file), name: relative(dirname(file), file) };
  }
}
