import type { HaftError } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import { policyError } from "../errors.ts";
import type { PatternProblem } from "../patterns/pattern-problem.ts";
import { suggestNames, joinWords } from "../text/sentence.ts";

/** One problem of a policy file. */
export interface PolicyProblem {
  /** Set for a valid entry that probably does not mean what was intended. Absent for errors. */
  severity?: "warning";
  /** The key path: `sessions.group.deny[0]`; empty for the file itself. */
  path: string;
  /** The line, counted from 1, if it is known. */
  line?: number;
  /** What is wrong, in whole sentences. */
  message: string;
  /** Names that were probably meant, nearest first. */
  nearest?: readonly string[];
  /** The file of the entry, if it is not that of the whole document. */
  file?: string;
}

/** The keys from the root of a document to one value: `["sessions", "group"]`. */
export type KeyPath = readonly (string | number)[];

/**
 * Returns the line of a key, counted from 1, or `undefined` if it is unknown.
 *
 * @example
 * ```ts run
 * import { parsePolicyConfig, type SourceMap } from "@haft/policy";
 *
 * const positions: SourceMap = ([key]) => (key === "deny" ? 3 : undefined);
 * const config = parsePolicyConfig({ deny: ["write"] }, "haft.policy.json", positions);
 * config.deny; // => ["write"]
 * ```
 */
export interface SourceMap {
  /** The line, where it is known. */
  (path: KeyPath): number | undefined;
  /** Returns the file of a key, if it is not that of the whole document. */
  readonly fileOf?: (path: KeyPath) => string | undefined;
}

/** Problems for which it is told what was meant: it is looked for among all names there are. */
const MAX_NEAREST = 100;

export class Problems {
  readonly items: PolicyProblem[] = [];
  /** Their paths, so that looking one up does not grow with their number. */
  readonly #paths = new Set<string>();
  readonly #positions: SourceMap | undefined;
  readonly #severity: "warning" | undefined;

  constructor(positions?: SourceMap, severity?: "warning") {
    this.#positions = positions;
    this.#severity = severity;
  }

  has(path: KeyPath): boolean {
    return this.#paths.has(formatPath(path));
  }

  add(path: KeyPath, problem: PatternProblem): void {
    const { message } = problem;
    const nearest = this.items.length < MAX_NEAREST ? problem.nearest : undefined;
    const severity = this.#severity;
    const line = this.#positions?.(path);
    const file = this.#positions?.fileOf?.(path);
    const place = formatPath(path);
    this.#paths.add(place);
    this.items.push(withoutUndefined({ severity, path: place, line, message, nearest, file }));
  }
}

/** Checks each entry of a list; what was no text, and is told already, is empty. */
export function checkTexts(
  texts: readonly string[] | undefined,
  path: KeyPath,
  check: (text: string) => PatternProblem | undefined,
  problems: Problems,
): void {
  for (const [index, text] of (texts ?? []).entries()) {
    const problem = text === "" && problems.has([...path, index]) ? undefined : check(text);
    if (problem) problems.add([...path, index], problem);
  }
}

/**
 * Formats a key path: `sessions.group.deny[0]`. Keys other than plain words are quoted.
 *
 * @example
 * ```ts run
 * import { formatPath } from "@haft/policy";
 *
 * formatPath(["models", "openai/gpt-5", "deny", 0]); // => 'models["openai/gpt-5"].deny[0]'
 * ```
 */
export function formatPath(path: KeyPath): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (/^[A-Za-z_$][\w-]*$/.test(key)) text += text === "" ? key : `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text;
}

/** A file that is wrong throughout is wrong for one reason. The details have all. */
const MAX_REPORTED = 20;

/** The error for a policy that cannot be used: `POLICY_INVALID`, with every problem in its details. */
export function policyInvalidError(source: string, problems: readonly PolicyProblem[]): HaftError {
  const lines = problems.slice(0, MAX_REPORTED).map(({ path, line, message, nearest, file = "" }) => {
    const place = [file, line === undefined ? "" : `line ${line}`, path].filter(Boolean).join(", ");
    return `${place === "" ? "" : `${place}: `}${message}${suggestNames(nearest)}`;
  });
  if (problems.length > MAX_REPORTED) lines.push(`${problems.length - MAX_REPORTED} more`);
  const message =
    lines.length === 1
      ? `${source} is not a valid policy: ${lines[0]}`
      : `${source} is not a valid policy; it has ${problems.length} problems:\n${lines.map((line) => `- ${line}`).join("\n")}`;
  const told = problems.slice(0, 3);
  const places = told.map(({ path }) => path || "the whole");
  const files = [...new Set(told.map(({ file = source }) => file))];
  return policyError("POLICY_INVALID", message, {
    fix: `Correct ${joinWords(places)} in ${joinWords(files)}; a policy with a problem is not used at all.`,
    details: { source, problems: problems.map((problem) => ({ ...problem })) },
  });
}
