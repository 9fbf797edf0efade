import { type OptionSchema, type OptionSchemas, optionsSchema } from "@haft/core/internal";
import type { HostWorkspaceOptions } from "../files/host-workspace.ts";

const PATTERNS: OptionSchema = { type: "array", items: { type: "string" } };

/** In a separate module, to check options before anything is opened. */
export const FOLDER_OPTIONS: OptionSchemas<HostWorkspaceOptions> = {
  root: {
    type: "string",
    minLength: 1,
    description: "The folder: where relative paths start. `~` is the home folder.",
  },
  rootAccess: { enum: ["ro", "rw"], description: "What may be done in it. Default rw." },
  roots: {
    "haft:kind": "object",
    additionalProperties: optionsSchema<{ path: string; access: "ro" | "rw" }>(
      { path: { type: "string" }, access: { enum: ["ro", "rw"] } },
      ["path", "access"],
    ),
    description: "More folders, addressed as name:path, each with its path and access (ro or rw).",
  },
  workspaceOnly: { type: "boolean", description: "Whether paths outside of the roots are refused." },
  deny: { ...PATTERNS, description: "Globs of what nobody touches." },
  credentials: { ...PATTERNS, description: "Globs of credentials, instead of the built-in ones." },
  readOnly: {
    ...PATTERNS,
    description: "Globs of what is read and not changed, instead of the built-in ones.",
  },
  startFiles: {
    ...PATTERNS,
    description: "Globs of the user's start files, instead of the built-in ones.",
  },
  projectSettings: {
    ...PATTERNS,
    description: "Globs of settings that start programs, instead of the built-in ones.",
  },
  code: {
    anyOf: [PATTERNS, { "haft:kind": "function" }],
    description: "Files and folders of code that this process loads later.",
  },
  closed: { ...PATTERNS, description: "Globs of what is closed to everybody." },
  hardLinks: {
    enum: ["packages", "refuse", "allow"],
    description: "Which files with several names are read.",
  },
  maxReadBytes: { type: "integer", minimum: 1, description: "Most bytes of one read. Default 64 MiB." },
  homeDir: { type: "string", minLength: 1, description: "The folder that ~ stands for." },
};
