import type { Session } from "@haft/core/kernel";
import { isObject, truncate } from "@haft/utils";
import {
  forEachNode,
  type ProviderSchema,
  toProviderSchema,
  addMissingItems,
} from "../schema/provider-schema.ts";

/** A difference between a tool and its form for the provider. */
export interface ToolNote {
  /** Name of the tool. */
  tool: string;
  /**
   * `changed`: the provider receives a simpler schema, and the session validates by the tool's own. `not-strict`: strict mode cannot
   * express the tool's parameters. `left-out`: the provider would refuse every request with this tool.
   */
  kind: "changed" | "not-strict" | "left-out";
  /** The reason, as a sentence. */
  reason: string;
}

/** Restrictions of a provider. */
export interface ToolProvider {
  name: string;
  /** Keywords that are invalid at the top, in addition to combinators. */
  top?: readonly string[];
  /** Arrays must have `items`. */
  needsItems?: boolean;
  /** No keyword may accompany a `$ref`. */
  loneReferences?: boolean;
  /** Maximum characters of a description. */
  description?: number;
  /** Valid names of parameters at the top. */
  parameters?: RegExp;
}

export interface ProviderTool {
  name: string;
  description: string;
  schema: ProviderSchema["schema"];
}

/** Omits a tool that the provider would refuse, because it would refuse the whole request. */
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

/** For an SDK with any provider: applies the restrictions of all. */
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
