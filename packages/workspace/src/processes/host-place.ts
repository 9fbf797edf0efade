import type { Workspace } from "@haft/core";
import { checkOptions, type OptionSchema, optionsSchema } from "@haft/core/internal";
import { createHostWorkspace, type HostWorkspaceOptions } from "../files/host-workspace.ts";
import { hostGuards } from "../system/host-guards.ts";
import { createHostProcesses, type HostProcesses, type HostProcessesOptions } from "./host-processes.ts";
import { withProcesses } from "./session-workspace.ts";

/** A folder of the host for tools that are bound to it, rather than to the workspace of a session. */
export interface HostPlace {
  /**
   * The same one again, until there is another host in this process: what that keeps is kept from these tools, too.
   *
   * @throws HaftError `ROOT_INVALID`, `PLATFORM_UNSUPPORTED`
   */
  workspace(): Workspace;
  /** Ends every process that was started. */
  close(): Promise<void>;
}

const PATTERNS: OptionSchema = { type: "array", items: { type: "string" } };

/** What {@link HostWorkspaceOptions} may be. */
const FOLDER = /* @__PURE__ */ optionsSchema<HostWorkspaceOptions>(
  {
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
  },
  ["root"],
);

/**
 * @param caller whose options these are, for what is said of wrong ones
 * @param commands What commands start from; without it there are none
 * @throws HaftError `INVALID_OPTIONS`
 */
export function openHostPlace(
  caller: string,
  folder: HostWorkspaceOptions,
  commands?: Omit<HostProcessesOptions, "workspace">,
): HostPlace {
  checkOptions(caller, folder, FOLDER);
  let opened: { workspace: Workspace; hosts: number } | undefined;
  let processes: HostProcesses | undefined;
  return {
    workspace() {
      const { count, ...guards } = hostGuards();
      if (opened?.hosts === count) return opened.workspace;
      const files = createHostWorkspace({ ...guards, ...folder });
      const start = () => (processes ??= createHostProcesses({ ...commands, workspace: files }));
      opened = { workspace: commands === undefined ? files : withProcesses(files, start), hosts: count };
      return opened.workspace;
    },
    close: async () => processes?.close(),
  };
}
