import { nearestNames } from "@haft/utils";
import { isClient, selectsClientTool } from "../patterns/client-tools.ts";
import type { Catalogue } from "../rules/catalogue.ts";
import type { CompiledList, Rule } from "../rules/rule.ts";
import { listMatchingTools } from "../rules/rules.ts";
import type { Warn } from "./idle-warnings.ts";

/** A host accepts entries about tools of coding agents, so that serve and guard can use one file. */
export function warnOfGuardOnly(
  rule: Rule,
  list: CompiledList,
  { tools, partial }: Catalogue,
  warn: Warn,
): void {
  const { selector, path } = rule;
  if (partial || !selectsClientTool(selector) || listMatchingTools(rule, list, tools).length > 0) return;
  if (path[0] === "agents" && isClient(String(path[1]))) return;
  const { target, text } = selector;
  const [, server = ""] = target.kind === "mcp" ? (/^mcp\(([^/]*)\//.exec(target.text) ?? []) : [];
  const servers = new Set(tools.flatMap(({ mcp }) => mcp?.server ?? []));
  const nearest = nearestNames(server, servers).filter((name) => name !== server);
  warn(
    path,
    `No tool of this host matches ${JSON.stringify(text)}, so it only applies to coding agents under haft guard.`,
    nearest.map((name) => text.replace(server, () => name)),
  );
}
