import type { KeyPath, PolicyConfig, SessionRules } from "@haft/policy";

/** The scopes of a document that hold for calls of an agent, as far as they are told apart by who calls. */
function scopesOf(
  config: PolicyConfig,
  agent: string,
  isSubagent: boolean,
): [KeyPath, SessionRules | undefined][] {
  return [
    [[], config],
    [["sessions", "main"], config.sessions?.main],
    [["agents", agent], config.agents?.[agent]],
    ...(isSubagent ? [[["subagents"], config.subagents] as [KeyPath, SessionRules | undefined]] : []),
  ];
}

/** Lists of commands that all have to let a command of this agent pass. */
export function commandGates(config: PolicyConfig, agent: string, isSubagent: boolean): KeyPath[] {
  return scopesOf(config, agent, isSubagent).flatMap(([scope, rules]) => {
    const { preset, security, allow } = rules?.exec ?? {};
    const isGate = allow !== undefined || security === "allowlist" || preset === "careful";
    return isGate ? [[...scope, "exec", "allow"]] : [];
  });
}

/** Lists of tools that all have to name what this agent may call. */
export function toolGates(config: PolicyConfig, agent: string, isSubagent: boolean): KeyPath[] {
  return scopesOf(config, agent, isSubagent).flatMap(([scope, rules]) =>
    rules?.allow === undefined ? [] : [[...scope, "allow"]],
  );
}
