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
 * Returns the JSON Schema (draft 7, for editors) of policy files. It cannot check entries against the tools of a host; `createPolicy` does.
 * In files, agents and kinds of session may name another file with their rules.
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
      "Who may call which tool. Unknown keys are errors; a scope can only tighten, except by grant.",
    type: "object",
    properties: {
      $schema: { type: "string", description: "Where this schema is; for editors." },
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
          "*, a tool, plugin/tool, a name with *, a plugin id, mcp(server/tool), group:… or effect:…; then perhaps :action, and (command pattern), (path:…), (host:…) or (arg:name=…)",
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

/** Returns the shape that the parser checks with this schema. */
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
  "Sessions that another one opened for a part of its work; the rules of that one hold as well.";

const scope = { $ref: "#/definitions/scope" };
const namedScope = {
  anyOf: [scope, { type: "string", minLength: 1, description: "The file that these rules stand in." }],
};

const mode = {
  enum: policyModes,
  default: "enforce",
  description:
    "enforce: the rules hold. shadow: what they would decide is told, and not done. off: not looked at.",
};

function listOf(item: JsonSchema, description: string, atLeast?: number): JsonSchema {
  return withoutUndefined({ type: "array", items: item, description, minItems: atLeast });
}

const selectors = (description: string, atLeast?: number) =>
  listOf({ $ref: "#/definitions/selector" }, description, atLeast);

const rules: Schemas<SessionRules> = {
  profile: {
    enum: profileNames,
    description: `Only the tools of a profile. ${profileNames.map((name) => `${name}: ${profiles[name].description}`).join(". ")}.`,
  },
  grant: selectors("Lifts what the session table denies unless granted, and switches optional tools on."),
  deny: selectors("Never these, whatever else is said."),
  allow: selectors("Only these. Naming an optional tool also switches it on.", 1),
  ask: selectors("These only after somebody approved the call."),
  exec: { $ref: "#/definitions/exec", description: "How freely commands run." },
};

const exec: Schemas<ExecRules> = {
  preset: {
    enum: presets,
    description:
      "careful: security allowlist and ask on-miss. contained: containment workspace and security full; where nothing contains the commands, as careful.",
  },
  security: {
    enum: securities,
    default: "full",
    description: "full: every command. allowlist: those of allow and the safe bins. deny: none.",
  },
  ask: {
    enum: asks,
    default: "off",
    description:
      "What becomes of a command that is not listed: off denies it, on-miss asks about it. always: every command is asked about.",
  },
  allow: listOf(
    { type: "string", pattern: "[^*\\s]", examples: ["git status*", "npm test"] },
    "Patterns of commands that may run.",
    1,
  ),
  safeBins: listOf(
    { type: "string", pattern: binName.source },
    "Programs that only transform their input. Default: cut, uniq, head, tail, tr and wc.",
  ),
  trustedDirs: listOf(
    { type: "string", pattern: "^/[^*?\\u0000]*$" },
    "Absolute folders where safe bins may be, beside /bin and /usr/bin.",
  ),
  elevated: {
    $ref: "#/definitions/elevated",
    description: "When a call asks for more than these rules allow.",
  },
  containment: {
    enum: containments,
    default: "none",
    description:
      "workspace: commands on the host write in the roots of the session alone. read-only: they write in a temporary folder of their own alone. none: they run on the host as it is.",
  },
  network: {
    anyOf: [
      { enum: networks },
      { type: "array", items: { type: "string", pattern: "^[^/\\s]+$" }, minItems: 1 },
    ],
    description:
      "What contained commands reach: none, full, or these hosts (*.example.com is everything under it). Default beside containment: none.",
    examples: ["none", ["registry.example.com", "*.example.org"]],
  },
  caches: listOf(
    { type: "string", pattern: "^(?:~/|/)[^*?\\u0000]+$", examples: ["~/.npm"] },
    "Folders of package managers that contained commands write in as well. Default beside containment: those of the host.",
  ),
};

const elevated: Schemas<ElevatedRules> = {
  mode: {
    enum: elevatedModes,
    default: "off",
    description: "off: not possible. ask: somebody is asked every time. full: without asking.",
  },
  senders: listOf(
    { type: "string", pattern: LISTED },
    "For whom: id:…, phone:…, username:… (each also as channel/id:…), * for everybody known by one of these, or system.",
  ),
};

const KEYS: Record<ScopePart, { description: string; propertyNames?: JsonSchema }> = {
  sessions: { description: "By kind of session." },
  models: { description: "By provider, provider/model or bare model name; all that fit hold." },
  agents: { description: "By agent id." },
  channels: { description: "By message channel." },
  groups: { description: "By group or room." },
  senders: {
    description:
      "By who wrote: id:…, phone:…, username:… (each also as channel/id:…), * for every known person, system, unknown. Rules for a display name (name:…) come on top and grant nothing.",
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
