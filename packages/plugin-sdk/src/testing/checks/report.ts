import { escapeInvisible } from "@haft/core/internal";

/** What is looked at. */
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

/** What came of looking at one thing: at most one line, and what to do. */
export interface CheckResult {
  /** What was looked at. */
  check: CheckName;
  /** `problem`: somebody will be hurt by it. `warning`: it could be better. `skipped`: it was not looked at, and why. */
  status: "ok" | "warning" | "problem" | "skipped";
  /** Of what the registry found wrong, its code. */
  code?: string;
  /** What was found, as a sentence. */
  message: string;
  /** Which tool, argument or file. */
  where?: string;
  /** What to do, as a sentence. */
  fix?: string;
}

/** What came of all checks of a plugin. */
export interface CheckReport {
  /** There is no problem. */
  ok: boolean;
  /** The id of the plugin. */
  plugin: string;
  /** Every result, in the order of the checks. */
  checks: readonly CheckResult[];
  /** Those that are problems. */
  problems: readonly CheckResult[];
  /** Makes the same arguments again. */
  seed: number;
  /** Arguments of calls that went well, by the tool; a few of each. */
  samples: Readonly<Record<string, readonly unknown[]>>;
  /** All of it as text, a line each. */
  text: string;
  /**
   * For a test of one line: does nothing where there is no problem.
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

/** One result, as it is shown: a line, and one for the fix. */
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
