import type { SessionKind } from "@haft/core";
import type { ProfileName } from "../patterns/profiles.ts";
import type { ExecRules } from "./exec-config.ts";

/**
 * Lists the rules of one scope. Each entry is a selector: `*`, a tool name, `sessions_*`, `plugin/name`, a plugin id, `group:fs`,
 * `group:plugins` (all tools that Haft does not ship) or `effect:write`. An action (`process:kill`) or conditions can follow: `exec(git
 * status*)`, `read(path:src/**)`, `web_fetch(host:*.example.com)`, `send(arg:to=*@example.com)`.
 */
export interface SessionRules {
  /** Makes only the tools of a profile available. */
  profile?: ProfileName;
  /** Makes only these tools available. Naming an optional tool also enables it. */
  allow?: readonly string[];
  /** Denies tools, regardless of other rules. */
  deny?: readonly string[];
  /** Requires approval for calls of these tools. */
  ask?: readonly string[];
  /** Allows tools that the session table denies unless granted. Naming an optional tool also enables it. */
  grant?: readonly string[];
  /** Contains the rules for commands. */
  exec?: ExecRules;
}

/** Selects whether a document applies. `shadow`: its decisions are only reported. `off`: it is ignored. */
export type PolicyMode = "off" | "enforce" | "shadow";

/**
 * Describes a policy document. All matching scopes apply. Each can only restrict the session table, except `grant`, which allows the tools
 * that the table leaves to the operator.
 *
 * @example
 * ```ts
 * import type { PolicyConfig } from "@haft/policy";
 *
 * const config: PolicyConfig = {
 *   ask: ["effect:message"],
 *   exec: { preset: "careful", allow: ["git status*", "npm test"] },
 *   sessions: { group: { grant: ["write(path:notes/*)"], deny: ["effect:network"] } },
 *   senders: { "telegram/id:4711": { ask: ["*"] } },
 * };
 * ```
 */
export interface PolicyConfig extends SessionRules {
  /** Contains the address of the JSON Schema for editors. Haft ignores it. */
  $schema?: string;
  /** Selects whether the document applies. Default `enforce`. */
  mode?: PolicyMode;
  /** Contains rules for each kind of session. */
  sessions?: Partial<Record<SessionKind, SessionRules>>;
  /** Contains rules for models: `provider`, `provider/model` or a bare model name. All matching entries apply. */
  models?: Readonly<Record<string, SessionRules>>;
  /** Contains rules for agents, by id. */
  agents?: Readonly<Record<string, SessionRules>>;
  /** Contains rules for message channels. */
  channels?: Readonly<Record<string, SessionRules>>;
  /** Contains rules for groups or rooms. */
  groups?: Readonly<Record<string, SessionRules>>;
  /**
   * Contains rules for senders: `id:…`, `phone:…`, `username:…` (each also as `channel/id:…`), `*` for every known person, `system` for
   * turns that the host started, `unknown`. The most specific entry applies. Entries for a display name (`name:…`) also apply and grant
   * nothing.
   */
  senders?: Readonly<Record<string, SessionRules>>;
  /** Contains additional rules for sessions that another session opened. */
  subagents?: SessionRules;
}

/** The order of evaluation. */
export const ruleLists = ["grant", "deny", "allow", "ask"] as const;
export type RuleList = (typeof ruleLists)[number];

/** Lists the kinds of session in the order of tables. */
export const sessionKinds = ["main", "group", "sandboxed"] as const satisfies readonly SessionKind[];

/** The order of evaluation. */
export const scopeParts = ["sessions", "models", "agents", "channels", "groups", "senders"] as const;
export type ScopePart = (typeof scopeParts)[number];

export const policyModes = ["off", "enforce", "shadow"] as const;
