import type { ToolFacts } from "@haft/core";
import { isClientTool } from "../patterns/client-tools.ts";
import type { Selector } from "../patterns/selector.ts";
import { hasRow } from "./session-table.ts";

export interface Catalogue {
  readonly tools: readonly ToolFacts[];
  /** Other hosts use the same policy, so entries without a match are notices. */
  readonly partial: boolean;
  listByName(name: string): readonly ToolFacts[];
  listByPlugin(pluginId: string): readonly ToolFacts[];
  /** A built-in tool precedes a plugin's tool of the same name. */
  find(nameOrId: string): ToolFacts | undefined;
}

export function createCatalogue(tools: readonly ToolFacts[], partial = false): Catalogue {
  const byName = Map.groupBy(tools, ({ name }) => name);
  const byPlugin = Map.groupBy(tools, ({ pluginId }) => pluginId);
  return {
    tools,
    partial,
    listByName: (name) => byName.get(name) ?? [],
    listByPlugin: (pluginId) => byPlugin.get(pluginId) ?? [],
    find: (nameOrId) =>
      tools.find(({ name, builtIn }) => builtIn && name === nameOrId) ??
      tools.find(({ name, id }) => name === nameOrId || id === nameOrId),
  };
}

/**
 * Resolves a plain word to a tool, else to a plugin. Opening lists bind to one tool's id, so a plugin that claims a built-in name is not
 * allowed. Restricting lists cover every tool of the name. Returns a message if the word is ambiguous.
 *
 * @param anywhere Hosts with other tools use the rule, so unknown or ambiguous words stay words.
 */
export function resolveWord(
  selector: Selector,
  opens: boolean,
  catalogue: Catalogue,
  anywhere = false,
): Selector | { message: string } {
  if (selector.target.kind !== "word") return selector;
  const { word } = selector.target;
  const named = catalogue.listByName(word);
  const ofPlugin = catalogue.listByPlugin(word);
  const ids = named.map(({ id }) => `"${id}"`).join(" or ");
  if (named.length > 0 && ofPlugin.some((tool) => !named.includes(tool))) {
    if (anywhere && !opens) return selector;
    return { message: `"${word}" is a tool and a plugin; write ${ids} or "${word}/*".` };
  }
  const isTool = named.length > 0 || (hasRow(word) && ofPlugin.length === 0);
  if (!isTool && ofPlugin.length === 0 && isClientTool(word))
    return { ...selector, target: { kind: "name", name: word } };
  if (!isTool && anywhere && !opens) return selector;
  if (!isTool) return { ...selector, target: { kind: "plugin", pluginId: word } };
  if (!opens) return { ...selector, target: { kind: "name", name: word } };
  const owners = hasRow(word) ? named.filter(({ builtIn }) => builtIn) : named;
  if (owners.length > 1) return { message: `"${word}" is the name of several tools; write ${ids}.` };
  if (owners.length === 1) return { ...selector, target: { kind: "id", id: owners[0]!.id } };
  const instead = named.length > 0 ? `; write ${ids} for the other tool of that name` : "";
  return { message: `"${word}" is a built-in tool that this host does not have${instead}.` };
}
