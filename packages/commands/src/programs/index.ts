import { tableNames } from "../names.ts";
import { byArgument } from "./by-argument.ts";
import type { Carrier } from "./carrier.ts";
import { git } from "./git.ts";
import { interpreter } from "./interpreters.ts";
import { launcher } from "./launchers.ts";
import { runner } from "./runners.ts";

const RULES = [launcher, interpreter, runner, git, byArgument];

/**
 * What is known of a program that runs others or code: by its name, whatever the folder, and its arguments. `undefined`
 * when nothing is.
 */
export function carrierOf(argv: readonly string[]): Carrier | undefined {
  const [full, unversioned] = tableNames(argv[0] ?? "");
  const args = argv.slice(1);
  for (const rule of RULES) {
    const carrier = rule(full, args) ?? rule(unversioned, args);
    if (carrier !== undefined) return carrier;
  }
  return undefined;
}
