import type { ToolFacts } from "@haft/core";
import type { CallFacts } from "../patterns/match-call.ts";

const fileTool = (name: "read" | "write"): ToolFacts => ({
  id: `files/${name}`,
  name,
  pluginId: "files",
  optional: false,
  effects: [name],
  groups: ["fs"],
  builtIn: true,
});

/** The tools that do what a redirect does. Rules are looked up by the tool itself, so each is made once. */
export const FILE_TOOLS = { read: fileTool("read"), write: fileTool("write") };

/** The tool that starts what this one types into. */
export function asExec(tool: ToolFacts): ToolFacts {
  let exec = execs.get(tool);
  if (!exec) execs.set(tool, (exec = { ...tool, id: `${tool.pluginId}/exec`, name: "exec" }));
  return exec;
}

/** Rules are looked up by the tool itself, so it is made once. */
const execs = new WeakMap<ToolFacts, ToolFacts>();

/** The tool as far as this call goes: on a node it does what was approved there, and not all that it could do elsewhere. */
export function asThere(tool: ToolFacts, { subjects }: CallFacts): ToolFacts {
  const effects = subjects?.node?.effects;
  if (effects === undefined) return tool;
  const known = there.get(tool) ?? new Map<string, ToolFacts>();
  there.set(tool, known);
  const key = effects.join();
  const facts = known.get(key) ?? { ...tool, effects };
  known.set(key, facts);
  return facts;
}

/** Rules are looked up by the tool itself, so each is made once. */
const there = new WeakMap<ToolFacts, Map<string, ToolFacts>>();
