import { sha256 } from "@haft/core/internal";

/** What every model provider accepts as the name of a function, and Haft. */
const LONGEST = 48;
/** Characters of the hash that stands for what a name cannot hold. */
const HASH = 8;

/**
 * The names of a server's tools here, by the server's own ones: `server_tool`, and always the same for the same. What a name
 * cannot hold becomes `_`, one that is too long is cut, and a hash stands for what is lost.
 */
export function assignToolNames(server: string, own: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const tool of own) {
    const whole = `${server.replaceAll("-", "_")}_${tool.replaceAll(/[^a-zA-Z0-9_-]+/g, "_")}`;
    const isWhole = whole.length <= LONGEST && /^[a-zA-Z0-9_-]+$/.test(tool);
    const name = isWhole && !taken.has(whole) ? whole : withHash(whole, tool);
    names.set(tool, name);
    taken.add(name);
  }
  return names;
}

function withHash(whole: string, tool: string): string {
  const hash = sha256(tool).slice(0, HASH);
  return `${whole.slice(0, LONGEST - HASH - 1).replace(/_+$/, "")}_${hash}`;
}
