import { CHANGING } from "./changing.ts";
import { EXCHANGING } from "./exchanging.ts";
import type { GitCommand } from "./git-command.ts";
import { LOOKING } from "./looking.ts";

/** Of these the first operand says what they do. */
const FAMILIES = new Set("bisect bundle notes reflog remote sparse-checkout stash worktree".split(" "));

/** What is known of a command, and the name it has here: `worktree add`. `undefined` for those that nobody has looked into. */
export function gitCommandOf(
  name: string,
  first: string | undefined,
): { name: string; command: GitCommand; isFamily: boolean } | undefined {
  const isSub = FAMILIES.has(name) && first !== undefined && !first.startsWith("-");
  const full = isSub ? `${name} ${first}` : name;
  const table = [CHANGING, EXCHANGING, LOOKING].find((one) => Object.hasOwn(one, full));
  const command = table?.[full];
  return command === undefined ? undefined : { name: full, command, isFamily: isSub };
}
