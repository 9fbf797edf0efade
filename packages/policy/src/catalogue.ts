import type { ToolFacts } from "@haft/core";
import { nearestNames } from "@haft/core";
import type { Selector, Target } from "./selector.ts";
import { sessionTable } from "./session-table.ts";

/** The tools a host knows, and what a policy may call them. */
export interface Catalogue {
  readonly tools: readonly ToolFacts[];
  /** By short name or `plugin/name`; a built-in tool comes before a plugin's of the same name. */
  find(nameOrId: string): ToolFacts | undefined;
  /** Short names of tools that were probably meant. */
  nearestTools(name: string): string[];
  /** Selectors that were probably meant. */
  nearestSelectors(text: string): string[];
}

export function createCatalogue(tools: readonly ToolFacts[]): Catalogue {
  const words = new Set(tools.flatMap((tool) => [tool.name, tool.id, tool.pluginId]));
  const groups = new Set(tools.flatMap((tool) => tool.groups));
  const effects = new Set(tools.flatMap((tool) => tool.effects));
  return {
    tools,
    find: (nameOrId) =>
      tools.find(({ name, builtIn }) => builtIn && name === nameOrId) ??
      tools.find(({ name, id }) => name === nameOrId || id === nameOrId),
    nearestTools: (name) => nearestNames(name, new Set(tools.map((tool) => tool.name))),
    nearestSelectors(text) {
      const bare = text.slice(text.indexOf(":") + 1);
      const others = [
        ...nearestNames(bare, groups).map((group) => `group:${group}`),
        ...nearestNames(bare, effects).map((effect) => `effect:${effect}`),
      ];
      const near = text.includes(":")
        ? [...others, ...nearestNames(bare, words)]
        : [...nearestNames(bare, words), ...others];
      return near.filter((candidate) => candidate !== text).slice(0, 3);
    },
  };
}

/**
 * Decides what a plain word means here: a tool, else a plugin. Lists that let something through
 * (`allow`, `grant`) are bound to one tool's id, so that a plugin which claims the name of another
 * tool is not let through with it; lists that hold back cover every tool of the name.
 *
 * Answers a message when it could mean several things.
 */
export function resolveWord(
  selector: Selector,
  opens: boolean,
  catalogue: Catalogue,
): Selector | { message: string } {
  if (selector.target.kind !== "word") return selector;
  const { word } = selector.target;
  const named = catalogue.tools.filter(({ name }) => name === word);
  const ofPlugin = catalogue.tools.filter(({ pluginId }) => pluginId === word);
  if (named.length === 0) return { ...selector, target: { kind: "plugin", pluginId: word } };
  if (ofPlugin.some((tool) => !named.includes(tool))) {
    return { message: `"${word}" is a tool and a plugin; write "${named[0]!.id}" or "${word}/*".` };
  }
  const owners = named.some(({ builtIn }) => builtIn) ? named.filter(({ builtIn }) => builtIn) : named;
  if (opens && owners.length > 1) {
    return {
      message: `"${word}" is the name of several tools; write ${owners.map(({ id }) => `"${id}"`).join(" or ")}.`,
    };
  }
  const target: Target = opens ? { kind: "id", id: owners[0]!.id } : { kind: "name", name: word };
  return { ...selector, target };
}

/** Why a selector that matches nothing does so. */
export function unmatched(
  selector: Selector,
  list: string,
  catalogue: Catalogue,
): { message: string; nearest: string[] } {
  const { text, target } = selector;
  if (target.kind === "plugin" && Object.hasOwn(sessionTable.builtIn, text)) {
    return { message: `"${text}" is a built-in tool that this host does not have.`, nearest: [] };
  }
  if (list === "grant" && (target.kind === "group" || target.kind === "effect")) {
    const message = `"${text}" grants nothing: groups and effects grant built-in tools only, plugin tools are granted by name.`;
    return { message, nearest: [] };
  }
  const single = target.kind === "plugin" || target.kind === "id" || target.kind === "name";
  const message = single
    ? `There is no tool or plugin "${text}" here.`
    : `"${text}" matches no tool of this host, so the rule would mean nothing.`;
  return { message, nearest: catalogue.nearestSelectors(text) };
}
