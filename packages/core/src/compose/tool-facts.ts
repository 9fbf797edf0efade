import type { ToolFacts } from "../contract/policy-port.ts";
import type { AnyTool } from "../contract/tool.ts";
import { withoutUndefined } from "../contract/without-undefined.ts";
import { parameterFacts } from "../parameters/parameter-facts.ts";
import type { Entry } from "./make-tools.ts";

/**
 * What policy may know of a tool.
 *
 * @param tool without it: what its registration says
 */
export function factsOf(
  { plugin, registration }: Entry,
  name: string,
  builtIn: ReadonlySet<string>,
  tool?: AnyTool,
): ToolFacts {
  const facts: ToolFacts = withoutUndefined({
    id: `${plugin.id}/${name}`,
    name,
    pluginId: plugin.id,
    optional: registration.optional ?? false,
    effects: tool?.effects ?? registration.effects ?? [],
    groups: tool?.groups ?? [],
    builtIn: builtIn.has(plugin.id),
    actions: tool && actionsOf(tool),
  });
  if (tool === undefined) return Object.freeze(facts);
  // Read when a policy speaks of arguments, which few do.
  let known: { parameters: ToolFacts["parameters"] } | undefined;
  const get = () => (known ??= { parameters: parameterFacts(tool) }).parameters;
  return Object.freeze(Object.defineProperty(facts, "parameters", { enumerable: true, get }));
}

function actionsOf({ parameters }: AnyTool): readonly string[] | undefined {
  interface Choice {
    enum?: unknown[];
    const?: unknown;
    anyOf?: Choice[];
  }
  const action = (parameters as { properties?: { action?: Choice } }).properties?.action;
  const words = action?.enum ?? action?.anyOf?.map((one) => one.const);
  return words?.every((word) => typeof word === "string") ? words : undefined;
}
