import { sha256 } from "@haft/utils";
import { createBridgeError } from "./check-options.ts";

/** Names that every model provider and Haft accept. */
const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,47}$/;
const LONGEST = 48;
/** Characters of the hash that replaces lost characters. */
const HASH = 8;

/** Always returns the same name for the same input: invalid characters become `_`, long names are cut, and a hash replaces the loss. */
export function sanitizeToolName(name: string): string {
  if (NAME.test(name)) return name;
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]+/g, "_");
  const hash = sha256(name).slice(0, HASH);
  if (!/[a-zA-Z0-9]/.test(plain)) return `tool_${hash}`;
  const begun = /^[a-zA-Z]/.test(plain) ? plain : `tool_${plain.replace(/^[_-]+/, "")}`;
  // Non-ASCII names lose much, and two names may have the same rest.
  const isWhole = begun.length <= LONGEST && /^[\x20-\x7e]*$/.test(name);
  return isWhole ? begun : `${begun.slice(0, LONGEST - HASH - 1).replace(/_+$/, "")}_${hash}`;
}

/**
 * Names all tools of a plugin.
 *
 * @throws `BRIDGE_INVALID` for a duplicate or invalid name
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
