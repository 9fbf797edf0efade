import type { ToolFacts } from "@haft/core";
import { editDistance } from "@haft/utils";
import { clientTools, findHaftName } from "../patterns/client-tools.ts";
import type { Selector } from "../patterns/selector.ts";
import { KNOWN_GROUPS } from "./administrator-denials.ts";
import type { Catalogue } from "./catalogue.ts";
import { sessionTable } from "./session-table.ts";

/**
 * Returns whether an entry with a problem is wrong in every host. Otherwise, it may name a tool of another host.
 *
 * @param matching Contains the tools that the entry matches.
 */
export function isMistake(selector: Selector, matching: readonly ToolFacts[], catalogue: Catalogue): boolean {
  const { target, action, conditions = [] } = selector;
  if (matching.length > 0) {
    const isOpen = target.kind === "pattern" || target.kind === "effect" || target.kind === "all";
    return !isOpen && matching.every((tool) => tool.builtIn || !clientTools.has(tool.name));
  }
  if (target.kind === "group")
    return (
      !KNOWN_GROUPS.has(target.group) && !catalogue.tools.some(({ groups }) => groups.includes(target.group))
    );
  const word = wordOf(target);
  if (word === undefined) return false;
  const names = [
    ...Object.keys(sessionTable.builtIn),
    ...clientTools,
    ...(action === undefined ? [] : PREFIXES),
  ];
  return (
    findHaftName(word) !== undefined ||
    names.some((name) => editDistance(word.toLowerCase(), name.toLowerCase(), 1) <= 1) ||
    // Only the tools of Haft run commands in all hosts.
    conditions.some(({ kind }) => kind === "command")
  );
}

/** `efect:write` parses as a tool with an action. */
const PREFIXES = ["effect", "group"];

function wordOf(target: Selector["target"]): string | undefined {
  if (target.kind === "word") return target.word;
  if (target.kind === "name") return target.name;
  return target.kind === "plugin" ? target.pluginId : undefined;
}
