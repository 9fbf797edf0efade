import { readPolicyFile } from "@haft/config";
import { findConfiguration, isCode } from "@haft/config/internal/document";
import type { KeyPath, PolicyConfig } from "@haft/policy";
import { readText } from "@haft/system";
import { existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The file with the rules of an operator. */
export interface RulesFile {
  /** Absolute path of the file. */
  file: string;
  /** The keys under which the rules stand in it. Empty where it has rules only. */
  prefix: KeyPath;
  /** The text of the file; `undefined` where there is no file. */
  text: string | undefined;
  /** The rules. */
  config: PolicyConfig;
  /** Returns the other file in which a list stands, as rules of an agent can. Returns `undefined` for a list of this file. */
  findOtherFile: (list: KeyPath) => string | undefined;
}

/**
 * Returns the file with the rules of the operator for agents. Returns `undefined` where there is none.
 *
 * @param named Absolute path of a policy file, instead of the one in the configuration.
 * @throws HaftError when a file cannot be read; Error with a sentence without its end when the rules are code
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
    if (!statSync(named).isFile()) throw new Error(`${named} is no file`);
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
  if (isCode(source))
    throw new Error(`the rules in ${source} are code, which a diff would not change for sure`);
  return {
    file: source,
    prefix: ["policy"],
    text: readText(source),
    config: rules,
    findOtherFile: (list) => policyPositions.fileOf?.(list),
  };
}

const nowhere = () => undefined;

/** The folder in which a diff of a file is applied, and how the file is called there: `git apply` begins at the root of a repository. */
export function findDiffLocation(file: string): { folder: string; name: string } {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return { folder, name: relative(folder, file) };
    if (dirname(folder) === folder) return { folder: dirname(file), name: relative(dirname(file), file) };
  }
}
