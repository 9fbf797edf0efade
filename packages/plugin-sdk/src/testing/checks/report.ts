import { escapeInvisible } from "@haft/utils";

/** The name of a check. */
export type CheckName =
  | "config"
  | "composition"
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

/** The result of one check. */
export interface CheckResult {
  /** The name of the check. */
  check: CheckName;
  /**
   * `problem`: users of the plugin will be affected. `warning`: it could be better. `skipped`: it was not checked;
   * `message` says why.
   */
  status: "ok" | "warning" | "problem" | "skipped";
  /** The code of a problem that the registry found. */
  code?: string;
  /** The result, as a sentence. */
  message: string;
  /** The tool, argument or file. */
  where?: string;
  /** What to do, as a sentence. */
  fix?: string;
}

/**
 * The results of all checks of a plugin.
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
  /** Whether there is no problem. */
  ok: boolean;
  /** The id of the plugin. */
  plugin: string;
  /** All results, in the order of the checks. */
  checks: readonly CheckResult[];
  /** The results that are problems. */
  problems: readonly CheckResult[];
  /** The seed that generates the same arguments again. */
  seed: number;
  /** Some arguments of successful calls, by tool. */
  samples: Readonly<Record<string, readonly unknown[]>>;
  /** All results as text, one line each. */
  text: string;
  /**
   * Throws if there is a problem: a test in one line.
   *
   * @throws Error with {@link text}
   */
  assert(): void;
}

/** That nothing was found. */
export function createOkResult(check: CheckName, message: string, where?: string): CheckResult[] {
  return [{ check, status: "ok", message, ...(where !== undefined && { where }) }];
}

const SIGNS = { ok: "✓", warning: "!", problem: "✗", skipped: "-" } as const;

/**
 * Formats one result as a line, with a second line for the fix if there is one.
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
