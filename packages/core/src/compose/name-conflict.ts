import type { Entry, ToolDiagnostic } from "./make-tools.ts";
import { ownersOf } from "./name-owners.ts";

export interface MayReplace {
  builtIn: ReadonlySet<string>;
  /** Plugin id → names of their tools that it may replace; `undefined`: all that it wants to. */
  replaces: ReadonlyMap<string, readonly string[]> | undefined;
}

/**
 * What is to be said of a plugin that claims a name others have claimed, where it is not simply its. One that may not replace
 * a built-in tool does not from then on.
 */
export function conflictOf(
  entry: Entry,
  name: string,
  rivals: readonly Entry[],
  { builtIn, replaces }: MayReplace,
): ToolDiagnostic | undefined {
  const owner = ownersOf(rivals).get(name);
  if (owner === undefined) return undefined;
  const { id } = entry.plugin;
  const about = { pluginId: id, names: [name] };
  const until = `Until then it is "${id}/${name}".`;
  if (entry.replaces.includes(name)) {
    if (replaces === undefined || replaces.get(id)?.includes(name) === true) return undefined;
    // Also where somebody who may has replaced it before.
    if (!rivals.some(({ plugin }) => builtIn.has(plugin.id))) return undefined;
    entry.replaces = entry.replaces.filter((other) => other !== name);
    return {
      ...about,
      code: "TOOL_NAME_COLLISION",
      message: `Plugin "${id}" would replace the built-in tool "${name}", and nobody allowed it to.`,
      fix: `Say so where the plugin is named: { use: …, replaces: ["${name}"] }. ${until}`,
    };
  }
  if (owner.replaces.includes(name)) return undefined;
  const isSame = owner.plugin === entry.plugin;
  return {
    ...about,
    code: "TOOL_NAME_COLLISION",
    message: isSame
      ? `Plugin "${id}" registers the name "${name}" twice; the first counts.`
      : `Plugins "${owner.plugin.id}" and "${id}" both claim the name "${name}"; "${owner.plugin.id}" keeps it.`,
    fix: isSame
      ? "Register each name once."
      : `Rename one of them, or list "${name}" in replaces of "${id}". ${until}`,
  };
}
