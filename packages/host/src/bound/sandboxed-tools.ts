import type { SandboxSettings } from "@haft/config";
import { SANDBOX_SETTINGS_BY_NAME } from "@haft/config/internal/settings";
import type { ModelFacts } from "@haft/core";
import { checkOptions, MODEL, optionsSchema } from "@haft/core/internal";
import { resolveFolders, bindTools, type BoundTool } from "@haft/core/kernel";
import { createBashTool, createExecTool, createProcessTool, type ExecTools } from "@haft/tools-exec";
import {
  createApplyPatchTool,
  createEditTool,
  createFindTool,
  createGrepTool,
  createLsTool,
  createReadTool,
  createWriteTool,
  type FileTools,
} from "@haft/tools-fs";
import { withoutUndefined } from "@haft/utils";
import { createHostWorkspace } from "@haft/workspace";
import { randomUUID } from "node:crypto";
import { Sandboxes, type SandboxedWorkspace } from "../sandbox/sandboxes.ts";

/** What the sandbox of such tools is like. Everything has a default. */
export interface SandboxedToolsOptions extends Omit<SandboxSettings, "scope" | "lifetime"> {
  /**
   * A folder of this machine that is the workspace inside, for reading and writing unless `workspaceAccess` says otherwise.
   * Without one the tools work in an empty folder of the sandbox's own, which goes with it.
   */
  root?: string;
  /** What is known of the model that reads the results, if one does: how much one result holds depends on it. */
  model?: Partial<ModelFacts>;
}

/** All tools inside of one sandbox, each to be called by itself. */
export interface SandboxedTools extends Omit<FileTools, "all" | "close">, Omit<ExecTools, "all" | "close"> {
  /** All of them, for frameworks that take a list. */
  readonly all: readonly BoundTool[];
  /** Ends every command and the sandbox. Later calls are answered `SESSION_CLOSED`. */
  close(): Promise<void>;
}

const { scope: _scope, lifetime: _lifetime, ...SETTINGS } = SANDBOX_SETTINGS_BY_NAME;
const OPTIONS = optionsSchema<SandboxedToolsOptions>({
  ...SETTINGS,
  root: {
    type: "string",
    minLength: 1,
    description: "The folder of this machine that is the workspace inside.",
  },
  model: MODEL,
});

/**
 * The file and command tools inside of a sandbox, ready to be called. The sandbox is opened by the first call, and ends with
 * `close()` or with this program. No policy applies but what the sandbox keeps; nothing ever runs on the host instead.
 *
 * A sandbox that cannot be opened is the outcome of the calls: `SANDBOX_UNAVAILABLE`, `SANDBOX_MOUNT_REFUSED` …; the next call
 * tries again.
 *
 * @throws HaftError `INVALID_OPTIONS`
 */
export function createSandboxedTools(options: SandboxedToolsOptions = {}): SandboxedTools {
  checkOptions("createSandboxedTools", options, OPTIONS);
  const {
    root,
    model,
    workspaceAccess = root === undefined ? "none" : "rw",
    ...settings
  } = resolveFolders(options);
  let opened: Promise<{ sandboxes: Sandboxes; sandbox: SandboxedWorkspace }> | undefined;
  const open = async () => {
    try {
      // Only what a workspace could be opened in is mounted.
      const workspaceDir = root === undefined ? process.cwd() : createHostWorkspace({ root }).describe().cwd;
      const place = { workspaceDir, stateDir: false, guarded: {} } as const;
      const sandboxes = new Sandboxes({ ...settings, workspaceAccess }, place, {});
      const owner = { sessionKey: `bound-${randomUUID()}`, agentId: "main" };
      return { sandboxes, sandbox: await sandboxes.open(undefined, owner) };
    } catch (thrown) {
      opened = undefined;
      throw thrown;
    }
  };
  const made = {
    read: createReadTool(),
    write: createWriteTool(),
    edit: createEditTool(),
    apply_patch: createApplyPatchTool(),
    ls: createLsTool(),
    find: createFindTool(),
    grep: createGrepTool(),
    exec: createExecTool(),
    process: createProcessTool(),
    bash: createBashTool(),
  };
  const { tools, close } = bindTools(
    made,
    withoutUndefined({
      kind: "sandboxed" as const,
      model,
      workspace: async () => (await (opened ??= open())).sandbox.workspace,
      async close() {
        // What could not be opened was the outcome of the calls.
        const one = await opened?.catch(() => undefined);
        await one?.sandbox.close();
        await one?.sandboxes.close();
      },
    }),
  );
  return { ...tools, all: Object.values(tools), close };
}
