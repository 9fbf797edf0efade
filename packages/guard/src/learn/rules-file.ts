import { readPolicyFile } from "@haft/config";
import { findConfiguration, isCode } from "@haft/config/internal/document";
import { readText } from "@haft/config/internal/files";
import type { KeyPath, PolicyConfig } from "@haft/policy";
import { existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

export interface RulesFile {
  /** Absolute. */
  file: string;
  /** The keys under which they stand in it; none where the file is theirs. */
  prefix: KeyPath;
  text: string | undefined;
  config: PolicyConfig;
  /** Whether this list stands in another file: rules of an agent may. */
  findOtherFile: (list: KeyPath) => string | undefined;
}

/**
 * The file that an operator's rules for agents stand in; nothing where there is none.
 *
 * @param named absolute, instead of what the configuration says
 * @throws HaftError of a file that cannot be read; Error where rules are code, as a sentence without its end
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
