import { findHaftFolder } from "@haft/config/internal/boundary";
import { getExportedEnvironment } from "@haft/config/internal/settings";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { guardError } from "../errors.ts";
import type { HookEntry } from "../settings/hook-entry.ts";

/** Default of `watchOnly`: false. */
export interface HookEntryOptions {
  policyFile?: string | undefined;
  watchOnly?: boolean | undefined;
}

/**
 * A hook ends before optimised code pays off; compiling takes a tenth of a call. The flags also avoid a V8 thread that sometimes blocks
 * `process.exit()` of Node 24 and 26 forever.
 */
export const UNOPTIMISED_FLAGS = ["--no-sparkplug", "--no-maglev"];

const TIMEOUT = ["-k", "1", "9"];
const ALARM = ["-e", "alarm 9; exec @ARGV or exit 127", "--"];
export const WATCHDOGS = [TIMEOUT, ALARM];

/**
 * Creates the hook command from this installation.
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
      "The package haft, which contains the hook program, is not installed.",
    );
  return join(haft, isSource ? "src/cli/guard/guard-hook.ts" : "dist/guard-hook.cjs");
}

/** An alarm survives `exec`. */
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
