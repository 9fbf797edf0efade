import type { AuditSettings } from "@haft/config/internal/document";
import type { PolicyConfig } from "@haft/policy";

/** A document of rules as it was read, as plain JSON: made once, and kept until one of its files is another. */
export interface RulesDocument {
  config: PolicyConfig;
  source: string;
  /** The line of each key, by its path as JSON. Empty where it is not known. */
  lines: Readonly<Record<string, number>>;
  /** The file of each key that does not stand in `source`, by its path as JSON. */
  files: Readonly<Record<string, string>>;
}

/**
 * The rules for calls of an agent.
 *
 * @example
 * ```ts
 * import { type GuardRules, readCurrentRules } from "@haft/guard/internal/agents";
 * const { rules }: { rules: GuardRules } = await readCurrentRules("codex", undefined, "/srv/project");
 * console.log(rules.broken?.problem ?? rules.files);
 * ```
 */
export interface GuardRules {
  /** The rules of the administrator. */
  administrator?: RulesDocument;
  /** The rules of the operator. */
  policy?: RulesDocument;
  /** The rules of files in the workspace, which only tighten. */
  workspace: readonly RulesDocument[];
  /** Set if the rules of the administrator or the operator cannot be used. Then no rule decides. `wayOut` is a command. */
  broken?: { problem: string; files: readonly string[]; wayOut?: string };
  /** Sentences that go with every answer. */
  notes: readonly string[];
  /** The audit log that the operator wants. */
  audit?: AuditSettings;
  /** Absolute paths of the files of administrator and operator. */
  files: readonly string[];
}

export interface RulesRequest {
  /** A policy file that the operator named when the hook was installed. Absolute. */
  policyFile?: string | undefined;
  /** Folders whose files tighten: that of the project, and the one a call is about. Absolute. */
  folders: readonly string[];
}
