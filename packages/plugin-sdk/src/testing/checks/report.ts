import { escapeInvisible } from "@haft/utils";

/** Names a check. */
export type CheckName =
  | "config"
  | "composition"
  | "definition"
  | "names"
  | "factory"
  | "description"
  | "schema"
  | "arguments"
  | "abort"
  | "output"
  | "effects"
  | "workspace"
  | "leaks"
  | "prints"
  | "sandbox"
  | "load"
  | "package"
  | "sdk"
  | "require"
  | "manifest";

/** Describes the result of one check. */
export interface CheckResult {
  /** Names the check. */
  check: CheckName;
  /** `problem`: it affects users of the plugin. `warning`: it could be better. `skipped`: it was not checked; `message` has the reason. */
  status: "ok" | "warning" | "problem" | "skipped";
  /** Contains the code of a problem from the registry. */
  code?: string;
  /** Explains the result in one sentence. */
  message: string;
  /** Names the tool, argument or file. */
  where?: string;
  /** Contains the next step, as a sentence. */
  fix?: string;
}

/**
 * Contains the results of all checks of a plugin.
 *
 * @example
 * ```ts
 * import type { Plugin } from "@haft/plugin-sdk";
 * import { type CheckReport, formatCheck, testPlugin } from "@haft/plugin-sdk/testing";
 *
 * export async function listProblems(plugin: Plugin): Promise<string[]> {
 *   const report: CheckReport = await testPlugin(plugin, { seed: 7 });
 *   return report.problems.map(formatCheck);
 * }
 * ```
 */
export interface CheckReport {
  /** States that no check found a problem. */
  ok: boolean;
  /** Identifies the plugin. */
  plugin: string;
  /** Contains all results in order. */
  checks: readonly CheckResult[];
  /** Contains the problems. */
  problems: readonly CheckResult[];
  /** Generates the same arguments again. */
  seed: number;
  /** Contains arguments of successful calls, by tool. */
  samples: Readonly<Record<string, readonly unknown[]>>;
  /** Contains one line for each result. */
  text: string;
  /**
   * Throws if there is a problem.
   *
   * @throws Error with {@link text}
   */
  assert(): void;
}

export function createOkResult(check: CheckName, message: string, where?: string): CheckResult[] {
  return [{ check, status: "ok", message, ...(where !== undefined && { where }) }];
}

const SIGNS = { ok: "✓", warning: "!", problem: "✗", skipped: "-" } as const;

/**
 * Formats a result as a line, with a second line for its fix.
 *
 * @example
 * ```ts run
 * import { formatCheck } from "@haft/plugin-sdk/testing";
 *
 * const result = { check: "schema", status: "ok", message: "All schemas compile." } as const;
 * formatCheck(result); // => "✓ schema      All schemas compile."
 * ```
 */
export function formatCheck({ check, status, message, where, fix }: CheckResult): string {
  const place = where === undefined ? "" : `${where}: `;
  const line = escapeInvisible(`${SIGNS[status]} ${check.padEnd(11)} ${place}${message}`);
  return fix === undefined ? line : `${line}\n${" ".repeat(14)}${escapeInvisible(fix)}`;
}

export function createReport({
  plugin,
  checks,
  seed,
  samples,
}: Pick<CheckReport, "plugin" | "checks" | "seed" | "samples">): CheckReport {
  const problems = checks.filter(({ status }) => status === "problem");
  const count = (status: CheckResult["status"]) => checks.filter((each) => each.status === status).length;
  const text = [
    ...checks.map(formatCheck),
    `${plugin}: ${problems.length} problems, ${count("warning")} warnings; seed ${seed}`,
  ].join("\n");
  const ok = problems.length === 0;
  return {
    ok,
    plugin,
    checks,
    problems,
    seed,
    samples,
    text,
    assert: () => {
      if (!ok) throw new Error(`The plugin ${plugin} has problems.\n${text}`);
    },
  };
}
