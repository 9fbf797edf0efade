import { HaftError, getErrorMessage } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import { hostProgramError, runProgram, safePath, startProgram } from "@haft/system";
import { escapeInvisible } from "@haft/utils";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { pluginLoaderError } from "../errors.ts";
import type { ManagerCommand } from "./manager-commands.ts";
import type { PackageManager } from "./package-managers.ts";

/** Characters, from the end of the output. */
const MAX_OUTPUT = 64 * 1024;
const MAX_LINES = 8;
/** Variables of an outer package manager, about another folder. */
const OF_ANOTHER_RUN =
  /^(?:npm_(?:package|lifecycle)_|npm_config_(?:local_prefix|prefix|global)$|npm_command$|INIT_CWD$)/i;

type Runs = Pick<PackageManager, "name" | "program">;

/**
 * Uses this user's settings.
 *
 * @param doing the end of a sentence: `install haft-plugin-x`
 * @throws HaftError `PACKAGE_INSTALL_FAILED` with a reason from its output, and `HOST_PROGRAM_CHANGED`
 */
export async function runManager(
  { name, program }: Runs,
  { args, env }: ManagerCommand,
  { folder, doing, signal }: { folder: string; doing: string; signal: AbortSignal | undefined },
): Promise<void> {
  let output = "";
  const keep = (chunk: string): void => void (output = (output + chunk).slice(-MAX_OUTPUT));
  let stop: (() => void) | undefined;
  try {
    signal?.throwIfAborted();
    const child = startProgram(program, args, {
      cwd: folder,
      env: { ...cleanEnvironment(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    // It writes until its end.
    stop = () => void child.kill("SIGTERM");
    signal?.addEventListener("abort", stop, { once: true });
    child.stdout?.setEncoding("utf8").on("data", keep);
    child.stderr?.setEncoding("utf8").on("data", keep);
    const [code, ended] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    if (code === 0) return;
    signal?.throwIfAborted();
    throw failed(
      name,
      doing,
      output,
      code === null ? `it was ended by ${ended}` : `it ended with code ${code}`,
    );
  } catch (thrown) {
    if (HaftError.is(thrown)) throw thrown;
    if (signal?.aborted === true)
      throw pluginLoaderError("PACKAGE_INSTALL_FAILED", `${name} was stopped before it could ${doing}.`, {
        fix: "Start it again; nothing was changed.",
        cause: thrown,
      });
    const coded = hostProgramError(thrown, doing);
    throw HaftError.is(coded) ? coded : failed(name, doing, output, getErrorMessage(thrown));
  } finally {
    if (stop) signal?.removeEventListener("abort", stop);
  }
}

export async function readManagerVersion({ name, program }: Runs, folder: string): Promise<string> {
  const { output, failure } = await runProgram(program, ["--version"], {
    cwd: folder,
    env: cleanEnvironment(),
  });
  if (failure !== undefined) throw failed(name, "say its version", output, failure.message);
  return output.trim();
}

function cleanEnvironment(): NodeJS.ProcessEnv {
  const remaining = Object.entries(process.env).filter(([name]) => !OF_ANOTHER_RUN.test(name));
  // Its first line requires `node`, perhaps not on the PATH.
  const path = [safePath(), dirname(process.execPath)].join(delimiter);
  return { ...Object.fromEntries(remaining), PATH: path, NO_COLOR: "1", NO_UPDATE_NOTIFIER: "1" };
}

/** The first match counts. */
const REASONS: readonly (readonly [RegExp, why: string, fix: string])[] = [
  [
    /\bETARGET\b|NO_MATCHING_VERSION|No matching version|Couldn't find any versions|No candidates found|no version matching/i,
    "the registry has no such version of it",
    "Name an existing version, or omit the version for the newest.",
  ],
  [
    /\bE404\b|FETCH_404|404 Not Found|Not Found - 404|isn't in this registry|package not found|Couldn't find package/i,
    "the registry has no package of that name, or does not show it to you",
    "See to the spelling; for a private package, to the registry and its login in your package manager's settings.",
  ],
  [
    /\bE40[13]\b|FETCH_40[13]|Unauthorized|\bENEEDAUTH\b|Forbidden/i,
    "the registry does not let you in",
    "Log in with your package manager, and try again.",
  ],
  [
    /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED)\b|NO_OFFLINE|socket timeout|network (?:connectivity|error)|ConnectionRefused|FailedToOpenSocket/i,
    "the registry cannot be reached",
    "See to the network and to the registry in your package manager's settings; a packed package (npm pack) is added without either.",
  ],
  [
    /\bEINTEGRITY\b|TARBALL_INTEGRITY|checksum|integrity check failed/i,
    "the fetched package has the wrong integrity",
    "Somebody published other content, or the cache is damaged. Compare before you go on; a new version is added by its number.",
  ],
  [
    /\b(?:EACCES|EPERM|EROFS)\b|permission denied|read-only file system/i,
    "the folder cannot be written to",
    "Give the folder to this user, or name another configuration with --config.",
  ],
  [/\b(?:ENOSPC|EDQUOT)\b|no space left/i, "the disk is full", "Free space, and try again."],
  [
    /\bERESOLVE\b|PEER_DEP_ISSUES/i,
    "it needs other versions of installed packages",
    "Its output below names them; another version of the plugin may fit.",
  ],
];

function failed(name: string, doing: string, output: string, end: string): HaftError {
  const [, why, fix] = REASONS.find(([pattern]) => pattern.test(output)) ?? [];
  const lines = redactSecrets(output)
    .split(/\r?\n/)
    .map((line) => escapeInvisible(line.trimEnd()));
  const printed = lines
    .filter((line) => line !== "" && !/^npm (?:warn|notice)/i.test(line))
    .slice(-MAX_LINES);
  const quoted =
    printed.length === 0
      ? "It said nothing."
      : `${name} said:\n${printed.map((line) => `  ${line}`).join("\n")}`;
  return pluginLoaderError("PACKAGE_INSTALL_FAILED", `${name} could not ${doing}: ${why ?? end}.`, {
    fix: `${fix ?? `Try the same with ${name} by hand.`} ${quoted}`,
    details: { packageManager: name, output: printed.join("\n") },
  });
}
