import type { OptionSchema } from "@haft/core/internal";
import { type JsonSchema, policySchema } from "@haft/policy";
import { MCP } from "../settings/mcp-servers.ts";
import { CONFIG_FILE, SANDBOX_IN_FILES } from "./haft-config.ts";
import { PLUGIN_IN_FILES } from "./plugin-references.ts";

/** Returns draft 7, for editors, generated from the schemas that check the files. */
export function configSchema(): JsonSchema {
  const { $schema, title: _, description, definitions, ...rules } = policySchema();
  const { properties } = forEditors(CONFIG_FILE) as { properties: Record<string, JsonSchema> };
  const described = (key: string) => ({ description: properties[key]!["description"] });
  return {
    $schema,
    title: "Configuration of Haft",
    description: "What the haft command and hosts with a configuration start with. Unknown keys are errors.",
    type: "object",
    properties: {
      ...properties,
      policy: {
        ...described("policy"),
        anyOf: [{ $ref: "#/definitions/policy" }, { type: "string", minLength: 1 }],
      },
      sandbox: { ...described("sandbox"), anyOf: [forEditors(SANDBOX_IN_FILES), { const: false }] },
      mcp: forEditors(MCP),
      plugins: { ...described("plugins"), ...forEditors({ type: "array", items: PLUGIN_IN_FILES }) },
    },
    additionalProperties: false,
    definitions: { ...(definitions as object), policy: { description, ...rules } },
  };
}

const KINDS = {
  options: { type: "object" },
  object: { type: "object" },
  milliseconds: { type: "integer", minimum: 0 },
} as const;

function forEditors(schema: OptionSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === "required" && Array.isArray(value) && value.length === 0) return undefined;
    if (typeof value !== "object" || value === null || !("haft:kind" in value)) return value;
    const { "haft:kind": kind, ...rest } = value;
    return { ...KINDS[kind as keyof typeof KINDS], ...rest };
  }) as JsonSchema;
}
