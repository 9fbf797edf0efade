import type { AnyTool, ToolContext, ToolResult, ToolUpdate, Workspace } from "@haft/plugin-sdk";
import { HaftError } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import type { HostProcessesOptions } from "@haft/workspace";
import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type {
  ExecToolDetails,
  ExecToolOptions,
  ProcessToolDetails,
  ProcessToolOptions,
} from "../../src/index.ts";
import { createBashTool, createExecTool, createProcessTool } from "../../src/index.ts";

export { until } from "../../../../test/support/until.ts";

export interface CallOptions {
  signal?: AbortSignal;
  onUpdate?: ToolUpdate;
  sessionKey?: string;
}

/** The tools in a workspace of their own; a thrown error goes through. */
export interface Bench {
  root: string;
  workspace: Workspace;
  exec(params: Record<string, unknown>, options?: CallOptions): Promise<ToolResult<ExecToolDetails>>;
  process(params: Record<string, unknown>, options?: CallOptions): Promise<ToolResult<ProcessToolDetails>>;
  bash(params: Record<string, unknown>, options?: CallOptions): Promise<ToolResult<Record<string, unknown>>>;
  /** Starts a command in the background and answers what `process` calls it. */
  start(command: string, more?: Record<string, unknown>): Promise<string>;
  /** Polls until it has ended; answers all the texts, without the word that it still runs. */
  finish(sessionId: string): Promise<string[]>;
}

export function bench(
  options: ExecToolOptions & ProcessToolOptions = {},
  more: Partial<HostProcessesOptions> | ((root: string) => Partial<HostProcessesOptions>) = {},
  whenOver: (end: () => Promise<void>) => void = onTestFinished,
): Bench {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-exec-")));
  const root = realpathSync(mkdtempSync(join(base, "ws-")));
  const files = createHostWorkspace({ root });
  const stateFolder = join(base, "state");
  const given = typeof more === "function" ? more(root) : more;
  const processes = createHostProcesses({ workspace: files, stateFolder, startedBy: "host", ...given });
  whenOver(async () => {
    await processes.close({ graceMs: 0 });
    rmSync(base, { recursive: true, force: true });
  });
  const workspace: Workspace = { ...files, processes };
  const call =
    (tool: AnyTool) =>
    async (params: Record<string, unknown>, { signal, onUpdate, sessionKey = "main" }: CallOptions = {}) =>
      tool.execute("call", params, signal ?? new AbortController().signal, onUpdate, {
        workspace,
        sessionKey,
      } as ToolContext);
  const { cleanupMs, inputWaitIdleMs, ...ofExec } = options;
  const { scopeKey } = options;
  const exec = call(createExecTool(ofExec)) as Bench["exec"];
  const process = call(
    createProcessTool(withoutUndefined({ cleanupMs, inputWaitIdleMs, scopeKey })),
  ) as Bench["process"];
  return {
    root,
    workspace,
    exec,
    process,
    bash: call(createBashTool(withoutUndefined({ scopeKey }))) as Bench["bash"],
    async start(command, more = {}) {
      const { details } = await exec({ command, background: true, ...more });
      if (details.status !== "running") throw new Error(`It is ${details.status}.`);
      return details.sessionId;
    },
    async finish(sessionId) {
      const texts: string[] = [];
      for (;;) {
        const result = await process({ action: "poll", sessionId, timeout: 60_000 });
        const isOver = result.details.status !== "running";
        // How often it is told that it still runs is a matter of the machine.
        texts.push(
          isOver
            ? getResultText(result)
            : getResultText(result).replace(/(^|\n\n)Process still running\.[^\n]*$/, ""),
        );
        if (isOver) return texts;
      }
    },
  };
}

export function getResultText(result: ToolResult): string {
  return result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

/** The error a call fails with; fails itself when it succeeds. */
export async function failure(call: Promise<unknown>): Promise<HaftError> {
  try {
    await call;
  } catch (error) {
    if (HaftError.is(error)) return error;
    throw error;
  }
  throw new Error("Expected the call to fail.");
}

/** Is this process there, and not just waiting to be collected? */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z";
  } catch {
    return false;
  }
}
