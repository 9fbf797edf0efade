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
  /** Only the tools of this profile. */
  profile?: ProfileName;
  /** Only these. Naming an optional tool here also switches it on. */
  allow?: readonly string[];
  /** Never these, whatever else is said. */
  deny?: readonly string[];
  /** These only after somebody approved the call. */
  ask?: readonly string[];
  /** Lifts cells of the session table that are denied unless granted, and switches on optional tools. */
  grant?: readonly string[];
  /** How freely commands run. */
  exec?: ExecRules;
}

/** Whether a document holds. `shadow`: it decides nothing, but is told. `off`: nobody looks at it. */
export type PolicyMode = "off" | "enforce" | "shadow";

/**
 * A policy as it stands in a file. The root holds for every session, the scopes below it for some.
 * Scopes add up: each can only take away from the session table, except `grant`, which lifts what
 * the table leaves to the operator.
 */
export interface PolicyConfig extends SessionRules {
  /** Where editors find the schema. Means nothing to Haft. */
  $schema?: string;
  /** Default `enforce`. */
  mode?: PolicyMode;
  /** By kind of session. */
  sessions?: Partial<Record<SessionKind, SessionRules>>;
  /** By `provider`, `provider/model` or bare model name; all that fit hold. */
  models?: Readonly<Record<string, SessionRules>>;
  /** By agent id. */
  agents?: Readonly<Record<string, SessionRules>>;
  /** By message channel. */
  channels?: Readonly<Record<string, SessionRules>>;
  /** By group or room. */
  groups?: Readonly<Record<string, SessionRules>>;
  /**
   * By who wrote: `id:…`, `phone:…`, `username:…` (each also as `channel/id:…`), `*` for every known
   * person; `system` for turns the host started, `unknown` when it is not known who. The most
   * particular one holds; rules for a display name (`name:…`) come on top and grant nothing.
   */
  senders?: Readonly<Record<string, SessionRules>>;
  /** Sessions that another one opened for a part of its work. The rules of that one hold as well. */
  subagents?: SessionRules;
}

/** The lists of a scope, in the order in which they are looked at. */
export const ruleLists = ["grant", "deny", "allow", "ask"] as const;
export type RuleList = (typeof ruleLists)[number];

/** The kinds of session there are, in the order in which they are shown. */
export const sessionKinds = ["main", "group", "sandboxed"] as const satisfies readonly SessionKind[];

/** The parts of a policy that hold for some sessions each, in the order in which they are looked at. */
export const scopeParts = ["sessions", "models", "agents", "channels", "groups", "senders"] as const;
export type ScopePart = (typeof scopeParts)[number];

export const policyModes = ["off", "enforce", "shadow"] as const;
