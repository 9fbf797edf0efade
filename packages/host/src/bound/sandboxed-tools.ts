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

/**
 * Configures {@link createSandboxedTools}: the sandbox, and the folder in it. Every option has a default.
 *
 * @example
 * ```ts
 * import type { SandboxedToolsOptions } from "@haft/host";
 * const options: SandboxedToolsOptions = {
 *   root: "/srv/project",
 *   workspaceAccess: "ro",
 *   backend: "bubblewrap",
 *   limits: { memoryMb: 1024 },
 * };
 * ```
 */
export interface SandboxedToolsOptions extends Omit<SandboxSettings, "scope" | "lifetime"> {
  /**
   * Names a folder of this machine as the workspace. Tools may read and write it, unless `workspaceAccess`
   * forbids that. Default: an empty folder that ends with the sandbox.
   */
  root?: string;
  /** Describes the model that reads the results, which limits their length. */
  model?: Partial<ModelFacts>;
}

/**
 * Contains all file and command tools of one sandbox. Each tool can be called alone.
 *
 * @example
 * ```ts
 * import { createSandboxedTools } from "@haft/host";
 * const { exec, close } = createSandboxedTools({ network: "none" });
 * const outcome = await exec.call({ command: "uname -a" });
 * console.log(outcome.kind, outcome.content);
 * await close();
 * ```
 */
export interface SandboxedTools extends Omit<FileTools, "all" | "close">, Omit<ExecTools, "all" | "close"> {
  /** Lists all tools, for frameworks that take a list. */
  readonly all: readonly BoundTool[];
  /** Ends every command and the sandbox. Later calls return `SESSION_CLOSED`. */
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
 * Returns the file and command tools of a sandbox, ready to be called. The first call opens the sandbox, and
 * `close()` or the end of this process ends it. No policy applies beyond the limits of the sandbox. Calls never
 * fall back to the host.
 *
 * @throws HaftError `INVALID_OPTIONS`
 * @example
 * ```ts
 * import { createSandboxedTools } from "@haft/host";
 * const tools = createSandboxedTools({ root: "/srv/project" });
 * const tests = await tools.exec.call({ command: "npm test" });
 * if (tests.kind !== "ok") console.error(tests.content);
 * await tools.close();
 * ```
 *
 * If the sandbox cannot be opened, the call returns `SANDBOX_UNAVAILABLE`, `SANDBOX_MOUNT_REFUSED` or a
 * similar error. The next call tries again.
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
      const workspaceDir = root === undefined ? process.cwd() : createHostWorkspace({ root }).describe().cwd;
      const location = { workspaceDir, stateDir: false, guarded: {} } as const;
      const sandboxes = new Sandboxes({ ...settings, workspaceAccess }, location, {});
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
        // The calls already returned this error.
        const one = await opened?.catch(() => undefined);
        await one?.sandbox.close();
        await one?.sandboxes.close();
      },
    }),
  );
  return { ...tools, all: Object.values(tools), close };
}
