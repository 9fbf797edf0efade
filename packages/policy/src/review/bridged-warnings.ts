import type { KeyPath } from "../read/problems.ts";
import type { Catalogue } from "../rules/catalogue.ts";
import type { CompiledList } from "../rules/rule.ts";
import { toolsOf } from "../rules/rules.ts";
import { joinWords } from "../text/join-words.ts";
import type { Warn } from "./idle-warnings.ts";

/** The group of tools that were made for another framework: they know no workspace. */
const BRIDGED = "bridged";

/** Whoever grants such a tool to sandboxed sessions lets them out of the sandbox, as far as the tool goes. */
export function warnOfBridgedGrants(
  list: CompiledList | undefined,
  path: KeyPath,
  catalogue: Catalogue,
  warn: Warn,
): void {
  const [part, kind] = path;
  if (part !== undefined && (part !== "sessions" || kind !== "sandboxed")) return;
  for (const rule of list?.rules ?? []) {
    const tools = toolsOf(rule, list!, catalogue.tools).filter(({ groups }) => groups.includes(BRIDGED));
    if (tools.length === 0) continue;
    const named = joinWords(tools.map(({ name }) => name).slice(0, 4));
    const message = `It lets sandboxed sessions call ${named}, made for another framework: that runs in the process of the host, in no sandbox.`;
    warn(rule.path, message);
  }
}
