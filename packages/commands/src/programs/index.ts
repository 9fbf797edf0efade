import { tableNames } from "../words/names.ts";
import { byArgument } from "./by-argument.ts";
import { launcher } from "./command-launchers.ts";
import { git } from "./git.ts";
import { haft } from "./haft-itself/haft.ts";
import { interpreter } from "./interpreters.ts";
import { awk } from "./languages/awk.ts";
import { sed } from "./languages/sed.ts";
import type { Launcher } from "./launcher.ts";
import { runner } from "./runners.ts";

const RULES = [haft, awk, sed, launcher, interpreter, runner, git, byArgument];

/**
 * What is known of a program that runs others or code: by its name, whatever the folder, and its arguments. `undefined`
 * when nothing is. Programs of `darwin` understand some words otherwise.
 */
export function launcherOf(argv: readonly string[], platform?: string): Launcher | undefined {
  const [full, unversioned] = tableNames(argv[0] ?? "");
  const args = argv.slice(1);
  for (const rule of RULES) {
    const found = rule(full, args, platform) ?? rule(unversioned, args, platform);
    if (found !== undefined) return found;
  }
  return undefined;
}
