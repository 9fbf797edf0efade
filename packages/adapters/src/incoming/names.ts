import { sha256 } from "@haft/utils";
import { createBridgeError } from "./check-options.ts";

/** What every model provider accepts as a function name, and Haft. */
const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,47}$/;
const LONGEST = 48;
/** Characters of the hash that stands for what a name cannot hold. */
const HASH = 8;

/**
 * The name of a tool here, always the same for the same name there: what a name cannot hold becomes `_`, one that is too
 * long is cut, and a hash stands for what is lost.
 */
export function sanitizeToolName(name: string): string {
  if (NAME.test(name)) return name;
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]+/g, "_");
  const hash = sha256(name).slice(0, HASH);
  if (!/[a-zA-Z0-9]/.test(plain)) return `tool_${hash}`;
  const begun = /^[a-zA-Z]/.test(plain) ? plain : `tool_${plain.replace(/^[_-]+/, "")}`;
  // Beyond ASCII much is lost, and two names may have the same rest.
  const isWhole = begun.length <= LONGEST && /^[\x20-\x7e]*$/.test(name);
  return isWhole ? begun : `${begun.slice(0, LONGEST - HASH - 1).replace(/_+$/, "")}_${hash}`;
}

/**
 * Names for all tools of a plugin, by their own ones.
 *
 * @throws HaftError `BRIDGE_INVALID` for one that two would have, or that cannot be one
 */
export function nameTools(
  own: readonly string[],
  rename: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Map<string, string>();
  for (const name of own) {
    if (names.has(name))
      throw createBridgeError(`Two tools are called ${JSON.stringify(name)}.`, "Leave one of them out.");
    const wanted = Object.hasOwn(rename, name) ? rename[name] : undefined;
    if (wanted !== undefined && !NAME.test(wanted))
      throw createBridgeError(
        `rename gives ${JSON.stringify(name)} the name ${JSON.stringify(wanted)}, which is none.`,
        "Use letters, digits, _ and -, beginning with a letter, 48 at most.",
      );
    const here = wanted ?? sanitizeToolName(name);
    const other = taken.get(here);
    if (other !== undefined)
      throw createBridgeError(
        `${JSON.stringify(other)} and ${JSON.stringify(name)} would both be called ${here} here.`,
        `Give one of them another name: rename: { ${JSON.stringify(name)}: "…" }.`,
      );
    names.set(name, here);
    taken.set(here, name);
  }
  return names;
}
