import { sha256 } from "@haft/utils";

/** Length that every model provider accepts. */
const LONGEST = 48;
const HASH = 8;

/**
 * Returns the names of a server's tools in sessions (`server_tool`), deterministically. A server's name has no `_`, so the tools of two
 * servers never get one name. Invalid characters become `_`, long names are cut, and a hash makes changed names unique.
 *
 * @example
 * ```ts run
 * import { assignToolNames } from "@haft/mcp";
 * assignToolNames("files", ["list", "read_file"]).get("read_file"); // => "files_read_file"
 * ```
 */
export function assignToolNames(server: string, serverNames: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const tool of serverNames) {
    const whole = `${server}_${tool.replaceAll(/[^a-zA-Z0-9_-]+/g, "_")}`;
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
