import { type OptionSchema, type OptionSchemas, optionsSchema } from "@haft/core/internal";
import type { HostWorkspaceOptions } from "../files/host-workspace.ts";

const PATTERNS: OptionSchema = { type: "array", items: { type: "string" } };

export const FOLDER_OPTIONS: OptionSchemas<HostWorkspaceOptions> = {
  root: {
    type: "string",
    minLength: 1,
    description: "The main root, which relative paths start from. `~` is the home folder.",
  },
  rootAccess: { enum: ["ro", "rw"], description: "Access to the main root. Default rw." },
  roots: {
    "haft:kind": "object",
    additionalProperties: optionsSchema<{ path: string; access: "ro" | "rw" }>(
      { path: { type: "string" }, access: { enum: ["ro", "rw"] } },
      ["path", "access"],
    ),
    description: "Additional folders, addressed as name:path, each with its path and access (ro or rw).",
  },
  workspaceOnly: { type: "boolean", description: "Whether paths outside of the roots are rejected." },
  deny: { ...PATTERNS, description: "Globs of denied paths." },
  credentials: { ...PATTERNS, description: "Globs of credentials, instead of the built-in globs." },
  readOnly: {
    ...PATTERNS,
    description: "Globs of read-only paths, instead of the built-in globs.",
  },
  startFiles: {
    ...PATTERNS,
    description: "Globs of the user's start files, instead of the built-in globs.",
  },
  projectSettings: {
    ...PATTERNS,
    description: "Globs of settings that start programs, instead of the built-in globs.",
  },
  code: {
    anyOf: [PATTERNS, { "haft:kind": "function" }],
    description: "Files and folders of code that this process loads later.",
  },
  closed: { ...PATTERNS, description: "Globs of denied paths, except in roots that are added later." },
  hardLinks: {
    enum: ["packages", "refuse", "allow"],
    description: "Which files with several names (hard links) can be read.",
  },
  maxReadBytes: { type: "integer", minimum: 1, description: "Limits one read, in bytes. Default 64 MiB." },
  homeDir: { type: "string", minLength: 1, description: "The folder that ~ refers to." },
};
