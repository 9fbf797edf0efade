import type { Session } from "@haft/core/kernel";
import { isObject, truncate } from "@haft/utils";
import {
  forEachNode,
  type ProviderSchema,
  toProviderSchema,
  addMissingItems,
} from "../schema/provider-schema.ts";

/** A difference between a tool as its author wrote it and the tool as the provider receives it. */
export interface ToolNote {
  /** Name of the tool. */
  tool: string;
  /**
   * `changed`: the provider receives a simpler schema, and the session still validates by the tool's own. `not-strict`: strict
   * mode cannot express the tool's parameters. `left-out`: the provider would refuse every request with this tool.
   */
  kind: "changed" | "not-strict" | "left-out";
  /** The reason, as a sentence. */
  reason: string;
}

/** What a provider refuses, where that is not the same everywhere. */
export interface ToolProvider {
  name: string;
  /** Keywords that may not stand at the top, beside combinators. */
  top?: readonly string[];
  /** Lists have to say what they hold. */
  needsItems?: boolean;
  /** Nothing may stand beside a `$ref`. */
  loneReferences?: boolean;
  /** Most characters of a description. */
  description?: number;
  /** What names of parameters at the top may be. */
  parameters?: RegExp;
}

export interface ProviderTool {
  name: string;
  description: string;
  schema: ProviderSchema["schema"];
}

/** The tools of this moment, as a provider takes them, and what that changed. One that it would refuse would cost all of them. */
export function toProviderTools(
  session: Session,
  provider: ToolProvider,
): { tools: readonly ProviderTool[]; notes: ToolNote[] } {
  const notes: ToolNote[] = [];
  const tools = session.tools().flatMap(({ name, description, parameters }): ProviderTool[] => {
    const { schema, changes } = toProviderSchema(parameters, provider.top);
    if (provider.needsItems) addMissingItems(schema);
    if (provider.loneReferences) leaveReferencesAlone(schema);
    const refused = refusedParameter(schema, provider);
    if (refused !== undefined) {
      const reason = `${provider.name} refuses a parameter named ${JSON.stringify(refused)}.`;
      notes.push({ tool: name, kind: "left-out", reason });
      return [];
    }
    const told = truncate(description, provider.description ?? Infinity);
    if (told !== description) changes.push(`has a description of ${description.length} characters`);
    for (const change of changes) notes.push({ tool: name, kind: "changed", reason: `The tool ${change}.` });
    return [{ name, description: told, schema }];
  });
  return { tools, notes };
}

/** For an SDK that may talk to any provider: what any of them refuses is left out. */
export const ANY_PROVIDER: ToolProvider = {
  name: "A provider",
  top: ["const", "enum", "not"],
  needsItems: true,
  loneReferences: true,
  description: 1_024,
};

function leaveReferencesAlone(schema: ProviderSchema["schema"]): void {
  forEachNode(schema, (node) => {
    if (node["$ref"] === undefined) return;
    for (const key of Object.keys(node)) if (!key.startsWith("$")) delete node[key];
  });
}

function refusedParameter(
  schema: ProviderSchema["schema"],
  { parameters }: ToolProvider,
): string | undefined {
  if (parameters === undefined || !isObject(schema["properties"])) return undefined;
  return Object.keys(schema["properties"]).find((name) => !parameters.test(name));
}
