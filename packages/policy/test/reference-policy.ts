import type { SessionKind, ToolEffect, ToolFacts } from "@haft/core";
import type { PolicyConfig } from "../src/read/policy-config.ts";
import { sessionTable } from "../src/rules/session-table.ts";

/**
 * The rules of a policy written down once more, as plainly as possible and without anything of the
 * evaluator: what the evaluator is compared with.
 */
export function evaluateReference(config: PolicyConfig, kind: SessionKind, agentId: string, tool: ToolFacts) {
  const cell = (tool.builtIn ? sessionTable.builtIn[tool.name]! : sessionTable.plugins)[kind].verdict;
  const scopes = [config, config.sessions?.[kind] ?? {}, config.agents?.[agentId] ?? {}];
  const grants = scopes.flatMap(({ grant = [] }) =>
    grant.filter((selector) => opens(selector, grant, tool, true)),
  );
  const allows = scopes.flatMap(({ allow = [] }) =>
    allow.filter((selector) => opens(selector, allow, tool, false)),
  );
  const named = [tool.name, tool.id, tool.pluginId, "group:plugins"];
  if (scopes.some(({ deny }) => deny?.some((selector) => holds(selector, tool)))) return "deny";
  if (cell === "deny" || (cell === "grant" && grants.length === 0)) return "deny";
  if (tool.optional && ![...grants, ...allows].some((selector) => named.includes(selector))) return "deny";
  for (const { profile, allow } of scopes) {
    if (profile === "minimal" && !does(tool, "read", [])) return "deny";
    if (profile === "coding" && tool.effects.includes("message")) return "deny";
    if (profile === "messaging" && !tool.effects.includes("message") && !tool.groups.includes("messaging"))
      return "deny";
    if (allow && !allow.some((selector) => opens(selector, allow, tool, false))) return "deny";
  }
  const asked = scopes.some(({ ask }) => ask?.some((selector) => holds(selector, tool)));
  return cell === "ask" || asked ? "ask" : "allow";
}

function points(selector: string, tool: ToolFacts): boolean {
  if (selector.includes("*")) {
    const pattern = new RegExp(`^${selector.replaceAll("*", ".*")}$`);
    return pattern.test(selector.includes("/") ? tool.id : tool.name);
  }
  if (selector === "group:plugins") return !tool.builtIn;
  return (
    selector === tool.id || selector === tool.pluginId || tool.groups.includes(selector.replace("group:", ""))
  );
}

function holds(selector: string, tool: ToolFacts): boolean {
  if (!selector.startsWith("effect:")) return points(selector, tool) || selector === tool.name;
  const effect = selector.slice(7);
  const could = tool.effects.includes("execute")
    ? [...tool.effects, "read", "write", "network"]
    : tool.effects;
  return could.some((each) => each === effect);
}

function opens(selector: string, list: readonly string[], tool: ToolFacts, granting: boolean): boolean {
  const byPlugin = granting && !tool.builtIn && selector !== "group:plugins";
  if (byPlugin && /^(group|effect):/.test(selector)) return false;
  if (selector.startsWith("effect:")) {
    const effect = selector.slice(7) as ToolEffect;
    return tool.effects.includes(effect) && does(tool, effect, list);
  }
  // "write" is the built-in tool, not the other tool that took the name.
  return points(selector, tool) || (selector === tool.name && tool.id !== "rogue/write");
}

/** Does the tool nothing beyond `effect` and the effects of `list`? */
function does(tool: ToolFacts, effect: ToolEffect, list: readonly string[]): boolean {
  const covered = new Set<string>([
    effect,
    ...list.filter((each) => each.startsWith("effect:")).map((each) => each.slice(7)),
  ]);
  if (covered.has("execute")) covered.add("write");
  if (covered.has("write")) covered.add("read");
  return tool.effects.every((each) => covered.has(each));
}
