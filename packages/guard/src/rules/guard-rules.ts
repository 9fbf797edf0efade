import type { AuditSettings } from "@haft/config/internal/document";
import type { PolicyConfig } from "@haft/policy";

/** A document of rules as it was read, as plain JSON: made once, and kept until one of its files is another. */
export interface RulesDocument {
  config: PolicyConfig;
  source: string;
  /** The line of each key, by its path as JSON; empty where it is not known. */
  lines: Readonly<Record<string, number>>;
  /** The file of a key that does not stand in `source`, likewise. */
  files: Readonly<Record<string, string>>;
}

export interface GuardRules {
  administrator?: RulesDocument;
  policy?: RulesDocument;
  /** Those of files in the workspace, which only tighten here. */
  workspace: readonly RulesDocument[];
  /** Set where one of the first two cannot be used: then nothing is decided by any of them. `wayOut` is a command. */
  broken?: { problem: string; files: readonly string[]; wayOut?: string };
  notes: readonly string[];
  /** Where the operator wants calls written down. */
  audit?: AuditSettings;
  /** Files of the first two. Absolute. */
  files: readonly string[];
}

export interface RulesRequest {
  /** A policy file that the operator named when the hook was installed. Absolute. */
  policyFile?: string | undefined;
  /** Folders whose files tighten: that of the project, and the one a call is about. Absolute. */
  folders: readonly string[];
}
