import type { AnyTool, FileSystem, ModelFacts, ToolContext, ToolResult, Workspace } from "@haft/plugin-sdk";
import { HaftError } from "@haft/plugin-sdk";
import { createHostWorkspace } from "@haft/workspace";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-fs-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Bench {
  folder: string;
  workspace: Workspace;
  /** Calls the tool; a thrown error goes through. */
  call<Details>(tool: AnyTool, params: Record<string, unknown>): Promise<ToolResult<Details>>;
}

/** A workspace in a temporary folder, and what a tool needs to run in it. */
export function bench(
  options: { model?: Partial<ModelFacts>; wrap?: (fs: FileSystem) => FileSystem } = {},
): Bench {
  const folder = temporaryFolder();
  const host = createHostWorkspace({ root: folder });
  const workspace = options.wrap === undefined ? host : { ...host, fs: options.wrap(host.fs) };
  const model: ModelFacts = { name: "", contextTokens: 100_000, images: true, ...options.model };
  const context = { workspace, model } as ToolContext;
  return {
    folder,
    workspace,
    call: async (tool, params) =>
      tool.execute("call-1", params, new AbortController().signal, undefined, context),
  };
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

/** The text blocks of a result. */
export function texts(result: ToolResult): string[] {
  return result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
}
