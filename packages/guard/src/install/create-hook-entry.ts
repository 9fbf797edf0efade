import { findHaftFolder } from "@haft/config/internal/boundary";
import { getExportedEnvironment } from "@haft/config/internal/settings";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { guardError } from "../errors.ts";
import type { HookEntry } from "../settings/hook-entry.ts";

/**
 * Options of {@link createHookEntry}: a policy file instead of the configuration, and whether the hook only watches (default false).
 */
export interface HookEntryOptions {
  policyFile?: string | undefined;
  watchOnly?: boolean | undefined;
}

/**
 * Flags of Node for hooks. A hook ends before faster machine code pays off, and V8 spends a tenth of a call on it. Long payloads are still
 * optimised. The flags also avoid a thread of V8 for which `process.exit()` of Node 24 and 26 sometimes waits forever.
 */
export const UNOPTIMISED_FLAGS = ["--no-sparkplug", "--no-maglev"];

/** What ends a program after nine seconds, behind the name of what does that. */
const TIMEOUT = ["-k", "1", "9"];
const ALARM = ["-e", "alarm 9; exec @ARGV or exit 127", "--"];
export const WATCHDOGS = [TIMEOUT, ALARM];

/**
 * Returns the command with which the settings of an agent start the guard of this installation: its Node, its program, and the
 * variables of this shell.
 *
 * @example
 * ```ts
 * import { createHookEntry } from "@haft/guard/internal/agents";
 * const entry = createHookEntry({ policyFile: "/etc/agent/policy.yaml" });
 * ```
 */
export function createHookEntry({ policyFile, watchOnly = false }: HookEntryOptions): HookEntry {
  const isSource = import.meta.url.endsWith(".ts");
  const conditions = process.execArgv.filter((word) => /^(?:--conditions|-C)=/.test(word));
  return {
    program: [
      process.execPath,
      ...(isSource ? [] : UNOPTIMISED_FLAGS),
      ...(isSource ? [...conditions, "--no-warnings"] : []),
      findHookProgram(isSource),
    ],
    env: { HOME: homedir(), ...getExportedEnvironment() },
    cleaner: onPath("env") ?? "/usr/bin/env",
    watchdog: watchdog(),
    watchOnly,
    ...(policyFile === undefined ? {} : { policyFile: resolve(policyFile) }),
  };
}

function findHookProgram(isSource: boolean): string {
  const haft = findHaftFolder();
  if (haft === undefined)
    throw guardError(
      "PACKAGE_MISSING",
      "The package haft, which has the program of the hook, is not installed.",
    );
  return join(haft, isSource ? "src/cli/guard/guard-hook.ts" : "dist/guard-hook.cjs");
}

/** The alarm of a process goes on over the start of another program, and ends it even where it does not listen. */
function watchdog(): string[] {
  const timeout = onPath("timeout");
  if (timeout !== undefined) return [timeout, ...TIMEOUT];
  const perl = onPath("perl");
  return perl === undefined ? [] : [perl, ...ALARM];
}

function onPath(program: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}
