import { compilePathPattern, type PathPattern } from "@haft/core";
import { type FileOperation, memoryFailure } from "./failures.ts";
import { ROOT } from "./memory-paths.ts";

/** Workspaces protect git's folder in every project, and settings that start programs. */
const READ_ONLY = ["**/.git"];
const CONSENT = [
  "**/.{vscode,cursor,windsurf,zed,idea}",
  "**/.{claude,codex,gemini,opencode}",
  "**/{.envrc,.mcp.json,.npmrc,.yarnrc.yml}",
  "**/.husky",
];

/** Decides on absolute paths with resolved links. */
export type Guard = (path: string, asked: FileOperation) => void;

/**
 * @param consent places that a person agreed to change
 * @returns a guard that throws `READ_ONLY` or `CONSENT_NEEDED`
 */
export function createMemoryGuard(consent: readonly string[]): Guard {
  const [readOnly, settings] = [READ_ONLY, CONSENT].map((patterns) => compilePathPattern(patterns)) as [
    PathPattern,
    PathPattern,
  ];
  return (path, asked) => {
    const relative = path.slice(ROOT.length + 1);
    if (readOnly.covers(relative)) throw memoryFailure("READ_ONLY", asked);
    if (settings.covers(relative) && !consent.includes(path))
      throw memoryFailure("CONSENT_NEEDED", asked, { details: { place: path } });
  };
}
