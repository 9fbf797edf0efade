import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import type { HostWorkspaceOptions } from "@haft/workspace";

/**
 * Configures the boundary of a host's sessions.
 *
 * @example
 * ```ts
 * import type { HostBoundary } from "@haft/config";
 * const boundary: HostBoundary = { deny: ["~/.config/my-service"], code: ["/srv/agent/dist"] };
 * ```
 */
export interface HostBoundary extends Pick<
  HostWorkspaceOptions,
  | "workspaceOnly"
  | "rootAccess"
  | "deny"
  | "credentials"
  | "readOnly"
  | "startFiles"
  | "projectSettings"
  | "hardLinks"
  | "homeDir"
> {
  /**
   * Lists files and folders with code that this process loads later, such as plugins. Sessions cannot change them. Haft and the main file
   * of the process are always included. `false` protects no code, not even Haft.
   */
  code?: readonly string[] | false;
}

const PATTERNS: OptionSchema = { type: "array", items: { type: "string" } };

export const HOST_BOUNDARY: OptionSchema = {
  ...optionsSchema<HostBoundary>({
    workspaceOnly: { type: "boolean", description: "Whether paths outside of the roots are refused." },
    rootAccess: { enum: ["ro", "rw"], description: "Whether the workspace folder is changed." },
    deny: { ...PATTERNS, description: "Globs of hidden files." },
    credentials: {
      ...PATTERNS,
      description: "Globs of hidden credentials, instead of the built-in globs.",
    },
    readOnly: {
      ...PATTERNS,
      description: "Globs of read-only files, instead of the built-in globs.",
    },
    startFiles: {
      ...PATTERNS,
      description: "Start files of the user, instead of the built-in files.",
    },
    projectSettings: {
      ...PATTERNS,
      description:
        "Globs of settings that start programs, instead of the built-in globs; changes need consent.",
    },
    code: {
      anyOf: [PATTERNS, { const: false }],
      description: "Files and folders of code that this process loads later; false guards no code.",
    },
    hardLinks: {
      enum: ["packages", "refuse", "allow"],
      description: "Which files with several names are read.",
    },
    homeDir: { type: "string", description: "The folder that ~ stands for in these globs." },
  }),
  description: "The boundary of the workspace.",
};
