import { withoutUndefined } from "@haft/utils";
import { profileNames, profiles } from "../patterns/profiles.ts";
import { toolEffects } from "../patterns/selector.ts";
import {
  asks,
  binName,
  containments,
  type ElevatedRules,
  elevatedModes,
  type ExecRules,
  networks,
  presets,
  securities,
} from "./exec-config.ts";
import {
  type PolicyConfig,
  policyModes,
  type ScopePart,
  scopeParts,
  sessionKinds,
  type SessionRules,
} from "./policy-config.ts";
import { senderFields } from "./sender-key.ts";
import { type JsonSchema, toShape } from "./shape.ts";

/** A missing or additional key is a type error. */
type Schemas<Rules> = Readonly<Record<keyof Rules, JsonSchema>>;

/**
 * Returns the JSON Schema (draft 7, for editors) of policy files. Only `createPolicy` checks entries against the tools of a host.
 *
 * @example
 * ```ts run
 * import { writeFile } from "node:fs/promises";
 * import { policySchema } from "@haft/policy";
 *
 * await writeFile("policy.schema.json", JSON.stringify(policySchema(), undefined, 2));
 * ```
 */
export function policySchema(): JsonSchema {
  return schemaWith({
    ...scopes,
    agents: scopePart("agents", namedScope),
    sessions: {
      type: "object",
      description: KEYS.sessions.description,
      propertyNames: { enum: sessionKinds },
      additionalProperties: namedScope,
    },
  });
}

function schemaWith(parts: Record<ScopePart, JsonSchema>): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Policy of Haft",
    description:
      "Decides who may call which tool. Unknown keys are errors. A scope can only tighten, except by grant.",
    type: "object",
    properties: {
      $schema: { type: "string", description: "Contains the address of this schema, for editors." },
      mode,
      ...rules,
      ...parts,
      subagents: { ...scope, description: SUBAGENTS },
    } satisfies Schemas<PolicyConfig>,
    additionalProperties: false,
    definitions: {
      scope: { type: "object", properties: rules, additionalProperties: false },
      selector: {
        type: "string",
        pattern: SELECTOR,
        description:
          "*, a tool, plugin/tool, a name with *, a plugin id, mcp(server/tool), group:… or effect:…; then optionally :action, and (command pattern), (path:…), (host:…) or (arg:name=…)",
        examples: [
          "write",
          "group:fs",
          "effect:network",
          "process:kill",
          "exec(git status*)",
          "read(path:src/**)",
        ],
      },
      exec: { type: "object", properties: exec, additionalProperties: false },
      elevated: { type: "object", properties: elevated, additionalProperties: false },
    },
  };
}

export function policyShape(): JsonSchema {
  return (shape ??= toShape(schemaWith(scopes)));
}

let shape: JsonSchema | undefined;

const TARGET = `(?:mcp\\([^()]+\\)|group:[\\w-]+|effect:(?:${toolEffects.join("|")})|(?!(?:group|effect):)[\\w*-]+(?:/[\\w*-]+)?)`;
const SELECTOR = `^${TARGET}(?::[\\w-]+)?(?:\\([\\s\\S]*\\S[\\s\\S]*\\))?$`;
const senderPattern = (words: string, fields: readonly string[]) =>
  `^(?:\\*|${words}|(?:[^/:]+/)?(?:${fields.join("|")}):[^\\s*](?:[^*]*[^\\s*])?)$`;
const SENDER = senderPattern("system|unknown", senderFields);
const LISTED = senderPattern(
  "system",
  senderFields.filter((field) => field !== "name"),
);
const SUBAGENTS =
  "Contains rules for sessions that another session opened. The rules of that session apply as well.";

const scope = { $ref: "#/definitions/scope" };
const namedScope = {
  anyOf: [scope, { type: "string", minLength: 1, description: "Names the file that contains these rules." }],
};

const mode = {
  enum: policyModes,
  default: "enforce",
  description:
    "enforce: the rules apply. shadow: their decisions are only reported. off: the rules are ignored.",
};

function listOf(item: JsonSchema, description: string, atLeast?: number): JsonSchema {
  return withoutUndefined({ type: "array", items: item, description, minItems: atLeast });
}

const selectors = (description: string, atLeast?: number) =>
  listOf({ $ref: "#/definitions/selector" }, description, atLeast);

const rules: Schemas<SessionRules> = {
  profile: {
    enum: profileNames,
    description: `Allows only the tools of a profile. ${profileNames.map((name) => `${name}: ${profiles[name].description}`).join(". ")}.`,
  },
  grant: selectors("Allows tools that the session table denies unless granted, and enables optional tools."),
  deny: selectors("Denies these tools, regardless of other rules."),
  allow: selectors("Allows only these tools. Naming an optional tool also enables it.", 1),
  ask: selectors("Requires approval for calls of these tools."),
  exec: { $ref: "#/definitions/exec", description: "Contains the rules for commands." },
};

const exec: Schemas<ExecRules> = {
  preset: {
    enum: presets,
    description:
      "careful: security allowlist and ask on-miss. contained: containment workspace and security full; if nothing contains the commands, the same as careful.",
  },
  security: {
    enum: securities,
    default: "full",
    description:
      "full: every command runs. allowlist: commands in allow and safe bins run. deny: no command runs.",
  },
  ask: {
    enum: asks,
    default: "off",
    description:
      "Decides about unlisted commands: off denies, on-miss requires approval. always: every command needs approval.",
  },
  allow: listOf(
    { type: "string", pattern: "[^*\\s]", examples: ["git status*", "npm test"] },
    "Lists patterns of commands that may run.",
    1,
  ),
  safeBins: listOf(
    { type: "string", pattern: binName.source },
    "Lists programs that only transform their input. Default: cut, uniq, head, tail, tr and wc.",
  ),
  trustedDirs: listOf(
    { type: "string", pattern: "^/[^*?\\u0000]*$" },
    "Lists absolute folders for safe bins, in addition to /bin and /usr/bin.",
  ),
  elevated: {
    $ref: "#/definitions/elevated",
    description: "Selects calls that may exceed these rules.",
  },
  containment: {
    enum: containments,
    default: "none",
    description:
      "workspace: commands on the host write only in the roots of the session. read-only: they write only in a private temporary folder. none: they run on the host without a view.",
  },
  network: {
    anyOf: [
      { enum: networks },
      { type: "array", items: { type: "string", pattern: "^[^/\\s]+$" }, minItems: 1 },
    ],
    description:
      "Limits the network of contained commands: none, full, or these hosts (*.example.com matches its subdomains). Default with containment: none.",
    examples: ["none", ["registry.example.com", "*.example.org"]],
  },
  caches: listOf(
    { type: "string", pattern: "^(?:~/|/)[^*?\\u0000]+$", examples: ["~/.npm"] },
    "Lists cache folders in which contained commands can also write. Default: none. Haft's own caches are always available.",
  ),
};

const elevated: Schemas<ElevatedRules> = {
  mode: {
    enum: elevatedModes,
    default: "off",
    description: "off: elevated calls are denied. ask: each needs approval. full: they run without approval.",
  },
  senders: listOf(
    { type: "string", pattern: LISTED },
    "Lists the permitted senders: id:…, phone:…, username:… (each also as channel/id:…), * for everyone known by id, phone or username, or system.",
  ),
};

const KEYS: Record<ScopePart, { description: string; propertyNames?: JsonSchema }> = {
  sessions: { description: "Contains rules by kind of session." },
  models: {
    description: "Contains rules by provider, provider/model or bare model name. All matching entries apply.",
  },
  agents: { description: "Contains rules by agent id." },
  channels: { description: "Contains rules by message channel." },
  groups: { description: "Contains rules by group or room." },
  senders: {
    description:
      "Contains rules by sender: id:…, phone:…, username:… (each also as channel/id:…), * for every known person, system, unknown. Rules for a display name (name:…) apply in addition and grant nothing.",
    propertyNames: { pattern: SENDER },
  },
};

const scopes = Object.fromEntries(scopeParts.map((part) => [part, scopePart(part)] as const)) as Record<
  ScopePart,
  JsonSchema
>;

/** Lists the kinds of session so that a wrong name is reported with the nearest. */
function scopePart(part: ScopePart, one: JsonSchema = scope): JsonSchema {
  const { description, propertyNames = { pattern: "^\\S(?:[\\s\\S]*\\S)?$" } } = KEYS[part];
  const common = { type: "object", description };
  if (part !== "sessions") return { ...common, propertyNames, additionalProperties: one };
  const kinds = Object.fromEntries(sessionKinds.map((kind) => [kind, one]));
  return { ...common, properties: kinds, additionalProperties: false };
}
