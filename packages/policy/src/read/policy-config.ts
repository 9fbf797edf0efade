import type { SessionKind } from "@haft/core";
import type { ProfileName } from "../patterns/profiles.ts";
import type { ExecRules } from "./exec-config.ts";

/**
 * Rules of one scope. Each entry of a list is a selector: `*`, a tool name, a name with `*`
 * (`sessions_*`), `plugin/name`, a plugin id, `group:fs`, `group:plugins` (everything that did
 * not come with Haft) or `effect:write`. It may go on with an action (`process:kill`) and with
 * conditions: `exec(git status*)`, `read(path:src/**)`, `web_fetch(host:*.example.com)`,
 * `send(arg:to=*@example.com)`.
 */
export interface SessionRules {
  /** The profile whose tools are available; all others are denied. */
  profile?: ProfileName;
  /** The tools that are available; all others are denied. An optional tool that is named here is switched on. */
  allow?: readonly string[];
  /** Tools that are denied, whatever other rules allow. */
  deny?: readonly string[];
  /** Tools whose calls need approval. */
  ask?: readonly string[];
  /** Tools to allow although the session table denies them unless granted. Optional tools that are named are switched on. */
  grant?: readonly string[];
  /** Rules for commands. */
  exec?: ExecRules;
}

/** Whether a document applies. `shadow`: its decisions are only reported. `off`: it is ignored. */
export type PolicyMode = "off" | "enforce" | "shadow";

/**
 * A policy document. Rules at its root apply to every session, those in a scope below it to some. Scopes add up: each can
 * only take away from the session table, except `grant`, which allows what the table leaves to the operator.
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
  /** The address of the JSON Schema for editors. Haft ignores it. */
  $schema?: string;
  /** Whether the document applies. Default `enforce`. */
  mode?: PolicyMode;
  /** Rules for each kind of session. */
  sessions?: Partial<Record<SessionKind, SessionRules>>;
  /** Rules for models: `provider`, `provider/model` or a bare model name. All that match apply. */
  models?: Readonly<Record<string, SessionRules>>;
  /** Rules for agents, by id. */
  agents?: Readonly<Record<string, SessionRules>>;
  /** Rules for message channels. */
  channels?: Readonly<Record<string, SessionRules>>;
  /** Rules for groups or rooms. */
  groups?: Readonly<Record<string, SessionRules>>;
  /**
   * Rules for senders: `id:…`, `phone:…`, `username:…` (each also as `channel/id:…`), `*` for every known person, `system`
   * for turns that the host started, `unknown` for unknown senders. The most specific entry applies. Entries for a display
   * name (`name:…`) apply in addition and grant nothing.
   */
  senders?: Readonly<Record<string, SessionRules>>;
  /** Rules for sessions that another session opened for a part of its work. The rules of that session apply as well. */
  subagents?: SessionRules;
}

/** The lists of a scope, in the order in which they are looked at. */
export const ruleLists = ["grant", "deny", "allow", "ask"] as const;
export type RuleList = (typeof ruleLists)[number];

/** The kinds of session, in the order in which tables show them. */
export const sessionKinds = ["main", "group", "sandboxed"] as const satisfies readonly SessionKind[];

/** The parts of a policy that hold for some sessions each, in the order in which they are looked at. */
export const scopeParts = ["sessions", "models", "agents", "channels", "groups", "senders"] as const;
export type ScopePart = (typeof scopeParts)[number];

export const policyModes = ["off", "enforce", "shadow"] as const;
