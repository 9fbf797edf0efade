import type { HaftError } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import { policyError } from "../errors.ts";
import type { PatternProblem } from "../patterns/pattern-problem.ts";
import { suggestNames, joinWords } from "../text/sentence.ts";

/** Describes one problem of a policy file. */
export interface PolicyProblem {
  /** Marks a valid entry that probably does not mean what the author intended. */
  severity?: "warning";
  /** Contains the key path: `sessions.group.deny[0]`; empty for the file. */
  path: string;
  /** Counts from 1. */
  line?: number;
  /** Describes the problem in whole sentences. */
  message: string;
  /** Lists similar names. */
  nearest?: readonly string[];
  /** Names the file if it differs from the document. */
  file?: string;
}

/** Contains keys: `["sessions", "group"]`. */
export type KeyPath = readonly (string | number)[];

/**
 * Returns the line of a key, counted from 1.
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
  /** Returns the line. */
  (path: KeyPath): number | undefined;
  /** Returns the file of a key if it differs from the document. */
  readonly fileOf?: (path: KeyPath) => string | undefined;
}

/** Each search for names compares all names. */
const MAX_NEAREST = 100;

export class Problems {
  readonly items: PolicyProblem[] = [];
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
    const position = formatPath(path);
    this.#paths.add(position);
    this.items.push(withoutUndefined({ severity, path: position, line, message, nearest, file }));
  }
}

/** An empty text with a reported problem was not a text. */
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
 * Formats a key path: `sessions.group.deny[0]`.
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

/** Limits the problems in the message. The details contain all. */
const MAX_REPORTED = 20;

export function policyInvalidError(source: string, problems: readonly PolicyProblem[]): HaftError {
  const lines = problems.slice(0, MAX_REPORTED).map(({ path, line, message, nearest, file = "" }) => {
    const position = [file, line === undefined ? "" : `line ${line}`, path].filter(Boolean).join(", ");
    return `${position === "" ? "" : `${position}: `}${message}${suggestNames(nearest)}`;
  });
  if (problems.length > MAX_REPORTED) lines.push(`${problems.length - MAX_REPORTED} more`);
  const message =
    lines.length === 1
      ? `${source} is not a valid policy: ${lines[0]}`
      : `${source} is not a valid policy; it has ${problems.length} problems:\n${lines.map((line) => `- ${line}`).join("\n")}`;
  const shown = problems.slice(0, 3);
  const paths = shown.map(({ path }) => path || "the whole");
  const files = [...new Set(shown.map(({ file = source }) => file))];
  return policyError("POLICY_INVALID", message, {
    fix: `Correct ${joinWords(paths)} in ${joinWords(files)}. Haft does not use a policy with a problem.`,
    details: { source, problems: problems.map((problem) => ({ ...problem })) },
  });
}
