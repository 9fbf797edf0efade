import type { ToolEffect, ToolFacts } from "@haft/core";
import type { ToolDefinition } from "@haft/core/kernel";
import type { Tool, ToolAnnotations } from "@modelcontextprotocol/server";

/** Clients that hold tools back until their model searches for them have these at once: a coding agent is lost without. */
const ALWAYS_LOADED = { "anthropic/alwaysLoad": true } as const;

export function describeTool(
  { name, description, parameters, outputSchema }: ToolDefinition,
  facts: ToolFacts | undefined,
  { isStructured }: { isStructured: boolean },
): Tool {
  return {
    name,
    description,
    inputSchema: parameters as Tool["inputSchema"],
    annotations: annotationsOf(facts?.effects),
    ...(isStructured && outputSchema !== undefined ? { outputSchema } : {}),
    ...(facts?.builtIn === true ? { _meta: ALWAYS_LOADED } : {}),
  };
}

/**
 * What calls may do, as clients gate and schedule them by. Of a tool that nothing is known of, all of it: the most that any call
 * may do counts, and what is left out would be read by the defaults of the protocol.
 */
function annotationsOf(effects: readonly ToolEffect[] | undefined): Required<Omit<ToolAnnotations, "title">> {
  const may = (effect: ToolEffect) => effects === undefined || effects.includes(effect);
  const readOnlyHint = effects !== undefined && effects.every((effect) => effect === "read");
  return {
    readOnlyHint,
    // A message adds something, and takes nothing away.
    destructiveHint: may("write") || may("execute") || may("network"),
    idempotentHint: readOnlyHint,
    openWorldHint: may("execute") || may("network") || may("message"),
  };
}
