import type { AuditSettings } from "@haft/config/internal/document";
import type { PolicyConfig } from "@haft/policy";

/** Plain JSON, cached. */
export interface RulesDocument {
  config: PolicyConfig;
  source: string;
  /** By key path as JSON. */
  lines: Readonly<Record<string, number>>;
  /** Keys outside `source`, by path. */
  files: Readonly<Record<string, string>>;
}

/**
 * Contains the rules for an agent.
 *
 * @example
 * ```ts
 * import { type GuardRules, readCurrentRules } from "@haft/guard/internal/agents";
 * const { rules }: { rules: GuardRules } = await readCurrentRules("codex", undefined, "/srv/project");
 * console.log(rules.broken?.problem ?? rules.files);
 * ```
 */
export interface GuardRules {
  administrator?: RulesDocument;
  policy?: RulesDocument;
  /** These can only tighten. */
  workspace: readonly RulesDocument[];
  /** Set if rules of the administrator or the operator are unusable. Then every call is denied. `wayOut` is a command. */
  broken?: { problem: string; files: readonly string[]; wayOut?: string };
  /** Sentences for every answer. */
  notes: readonly string[];
  audit?: AuditSettings;
  /** Files of administrator and operator. */
  files: readonly string[];
}

export interface RulesRequest {
  /** Named at installation. Absolute. */
  policyFile?: string | undefined;
  /** Folders of the project and of the call. Absolute. */
  folders: readonly string[];
}
