import type { Entry, ToolBuildResult, ToolDiagnostic } from "./build-tools.ts";

export interface ToolAbsence extends Omit<ToolDiagnostic, "code"> {
  code: "TOOL_WITHHELD" | "TOOL_REPLACED";
}

export interface Composition {
  all: readonly Entry[];
  entries: readonly Entry[];
  buildResults: readonly ToolBuildResult[];
  owners: ReadonlyMap<string, Entry>;
  channel: string;
}

/** Lists tools of other channels, withheld tools and replaced tools. */
export function findToolAbsences({
  all,
  entries,
  buildResults,
  owners,
  channel,
}: Composition): ToolAbsence[] {
  const ofChannel = new Set(entries);
  return [
    ...all.filter((entry) => !ofChannel.has(entry)).map((entry) => elsewhere(entry, channel)),
    ...entries.flatMap((entry, index) => [
      ...withheld(entry, buildResults[index]!),
      ...buildResults[index]!.tools.flatMap(({ name }) => replaced(entry, name, owners.get(name))),
    ]),
  ];
}

function elsewhere({ plugin, names, registration: { channels = [] } }: Entry, channel: string): ToolAbsence {
  const those = channels.map((name) => JSON.stringify(name)).join(", ");
  const here = channel === "" ? "has no channel" : `is of ${JSON.stringify(channel)}`;
  const where = channels.length === 0 ? "no message channel" : `sessions of these message channels: ${those}`;
  return {
    code: "TOOL_WITHHELD",
    pluginId: plugin.id,
    names,
    message: `Plugin "${plugin.id}" offers ${names.join(", ")} in ${where}. This session ${here}.`,
    fix: "Use it in a session of such a channel, or ask the plugin's author to add this channel.",
  };
}

function withheld({ plugin, names }: Entry, { tools, diagnostics }: ToolBuildResult): ToolAbsence[] {
  const isReported = (name: string) => diagnostics.some((diagnostic) => diagnostic.names.includes(name));
  return names
    .filter((name) => !isReported(name) && !tools.some((tool) => tool.name === name))
    .map((name) => ({
      code: "TOOL_WITHHELD",
      pluginId: plugin.id,
      names: [name],
      message: `Plugin "${plugin.id}" has a tool "${name}", but its factory did not create it for this session.`,
      fix: "Read the requirements of the tool in the plugin's documentation, such as a setting or another kind of session.",
    }));
}

function replaced(entry: Entry, name: string, owner: Entry | undefined): ToolAbsence[] {
  if (owner === undefined || owner.plugin === entry.plugin || !owner.replaces.includes(name)) return [];
  const { id } = entry.plugin;
  return [
    {
      code: "TOOL_REPLACED",
      pluginId: id,
      names: [name],
      message: `Plugin "${owner.plugin.id}" replaces "${name}" of plugin "${id}".`,
      fix: `Call it as "${id}/${name}", or leave plugin "${owner.plugin.id}" out.`,
    },
  ];
}
