import { resolveStateFolder } from "@haft/config/internal/home-folder";
import { isAbsolute, join } from "node:path";

/**
 * Returns the folder of hook caches, without creating it, or `undefined` without a state folder.
 *
 * @example
 * ```ts
 * import { guardFolder } from "@haft/guard/internal/agents";
 * console.log(guardFolder() ?? "The state folder is not known.");
 * ```
 */
export function guardFolder(): string | undefined {
  const { value, path } = resolveStateFolder();
  return isAbsolute(value) ? join(path, "guard") : undefined;
}
