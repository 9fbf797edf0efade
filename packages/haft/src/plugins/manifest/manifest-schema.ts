/** JSON Schema of `haft.plugin.json` (draft 7, which editors know): what manifests are checked with, and published as. */
const texts = (description: string) => ({ type: "array", items: { type: "string" }, description });
const text = (description: string) => ({ type: "string", description });

const TOOL = {
  type: "object",
  properties: {
    name: { type: "string", pattern: "^[a-zA-Z][a-zA-Z0-9_-]{0,47}$", description: "As models call it." },
    label: text("For people."),
    description: text("For models. Of tools that are the same in every session."),
    effects: {
      type: "array",
      items: { enum: ["read", "write", "execute", "network", "message"] },
      description: "All that it may do. Absent where a factory makes it and does not say.",
    },
    hosts: texts("All hosts that it may contact. Absent: any, as far as its effects and policies go."),
    optional: { type: "boolean", description: "Off until a policy names it." },
    channels: texts("Only in sessions of these message channels."),
    groups: texts("Policy groups it names itself."),
    parameters: {
      type: "object",
      description: "JSON Schema of its arguments. Of tools that are the same in every session.",
    },
    factory: { type: "boolean", description: "A factory makes it for sessions, or for some of them." },
  },
  required: ["name"],
  additionalProperties: false,
};

export const MANIFEST_SCHEMA = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Manifest of a Haft plugin",
  description:
    "What a plugin offers, known without running it. haft plugins manifest makes it from the code.",
  type: "object",
  properties: {
    $schema: text("Where this schema is; for editors."),
    manifest: { const: 1, description: "The version of this form." },
    id: { type: "string", pattern: "^[a-z0-9][a-z0-9-]*$", description: "As the plugin says." },
    name: text("For people."),
    version: text("Of the plugin."),
    contract: { type: "integer", minimum: 1, description: "The contract it is written for." },
    sdk: text("The @haft/plugin-sdk it is written with, as its package.json asks for it."),
    replaces: texts("Names of other plugins' tools that it replaces."),
    configSchema: { type: "object", description: "JSON Schema of its configuration." },
    tools: { type: "array", items: TOOL, description: "Every tool it may have." },
  },
  required: ["manifest", "id", "tools"],
  additionalProperties: false,
};
