import { readGitCall } from "../git/git-call.ts";
import { tableNames } from "../words/names.ts";
import { codeLoadingOptions } from "./code-loading-options.ts";
import { launcher } from "./command-launchers.ts";
import { HAFT_PROGRAM } from "./haft/haft-files.ts";
import { interpreter } from "./interpreters.ts";
import { awk } from "./languages/awk.ts";
import { sed } from "./languages/sed.ts";
import { type ProgramLauncher, type LauncherRule, opaque } from "./launcher.ts";
import { runner } from "./runners.ts";

/** Settings and addresses of git can be programs. */
const git: LauncherRule = (name, args) => {
  if (name !== "git") return name.startsWith("git-") ? opaque(`${name} can start other programs`) : undefined;
  const call = readGitCall(args);
  return call !== undefined && "unclear" in call ? opaque(call.unclear) : undefined;
};

/** They search for a program of that name. */
const FINDS = /^(?:yarn|bun|pnpm|npm)$/;
/** First words that start no tool and no program. */
const READS =
  /^(?:(?:explain|help|approvals|config|guard) |tools (?!.*\b(?:call|patch)\b)|nodes (?!.*\b(?:start|accept)\b)|ledger (?:list |show |export |check |forget |$)|policy (?:check|schema) |(?:plugins|mcp|sandbox) (?:list|show|info|why|explain|doctor) |(?:--help|--version|--completions|-h|-v) $)/;
/** These options name code, or configuration that names code. */
const LOADS = /^--(?:plugin|config)/;

/** The input of Haft's tools is not parsed here. */
const haft: LauncherRule = (name, args, platform) => {
  let at = -1;
  let other: ReturnType<LauncherRule>;
  if (!HAFT_PROGRAM.test(name)) {
    other =
      interpreter(name, args, platform) ?? (FINDS.test(name) ? runner(name, args, platform) : undefined);
    at = other === undefined ? -1 : args.findIndex((word) => !/^-|^run$/.test(word));
    if (!HAFT_PROGRAM.test(args[at] ?? "")) return undefined;
  }
  const words = args.slice(at + 1);
  const isLooking = READS.test(`${words.join(" ")} `) && !words.some((word) => LOADS.test(word));
  if (isLooking) return other;
  const { scripts } = other ?? {};
  return { ...opaque("haft runs what its words or its input say"), ...(scripts && { scripts }) };
};

const RULES = [haft, awk, sed, launcher, interpreter, runner, git, codeLoadingOptions];

/**
 * Returns the facts about a program that runs other programs or code; `undefined` for any other program.
 *
 * @param platform As in `process.platform`. On `darwin` some words differ in meaning.
 * @example
 * ```ts run
 * import { findLauncher } from "@haft/commands";
 *
 * findLauncher(["bash", "build.sh"])?.scripts; // => ["build.sh"]
 * findLauncher(["ls", "-l"]); // => undefined
 * ```
 */
export function findLauncher(argv: readonly string[], platform?: string): ProgramLauncher | undefined {
  const [full, unversioned] = tableNames(argv[0] ?? "");
  const args = argv.slice(1);
  for (const rule of RULES) {
    const found = rule(full, args, platform) ?? rule(unversioned, args, platform);
    if (found !== undefined) return found;
  }
  return undefined;
}
