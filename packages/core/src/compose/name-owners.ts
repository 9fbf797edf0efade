import type { Entry, ToolDiagnostic } from "./build-tools.ts";

export function shareChannel(
  { registration: { channels: one } }: Entry,
  { registration: { channels: other } }: Entry,
): boolean {
  return one === undefined || other === undefined || one.some((channel) => other.includes(channel));
}

/** The first plugin with a name owns it, unless a later plugin replaces it. */
export function findNameOwners(entries: readonly Entry[]): Map<string, Entry> {
  const owners = new Map<string, Entry>();
  for (const entry of entries) {
    for (const name of entry.names) {
      const owner = owners.get(name);
      const takesOver = entry.plugin !== owner?.plugin && entry.replaces.includes(name);
      if (owner === undefined || takesOver) owners.set(name, entry);
    }
  }
  return owners;
}

interface MayReplace {
  builtIn: ReadonlySet<string>;
  replaces: ReadonlyMap<string, readonly string[]> | undefined;
}

/** Returns a diagnostic for a claimed name, and undoes a forbidden replacement. */
export function findNameConflict(
  entry: Entry,
  name: string,
  rivals: readonly Entry[],
  { builtIn, replaces }: MayReplace,
): ToolDiagnostic | undefined {
  const owner = findNameOwners(rivals).get(name);
  if (owner === undefined) return undefined;
  const { id } = entry.plugin;
  const about = { pluginId: id, names: [name] };
  const until = `Until then it is "${id}/${name}".`;
  if (entry.replaces.includes(name)) {
    if (replaces === undefined || replaces.get(id)?.includes(name) === true) return undefined;
    if (!rivals.some(({ plugin }) => builtIn.has(plugin.id))) return undefined;
    entry.replaces = entry.replaces.filter((other) => other !== name);
    return {
      ...about,
      code: "TOOL_NAME_COLLISION",
      message: `Plugin "${id}" would replace the built-in tool "${name}", but the host does not allow it.`,
      fix: `Allow it in the configuration of the plugin: { use: …, replaces: ["${name}"] }. ${until}`,
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
