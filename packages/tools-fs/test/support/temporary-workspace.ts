import type { ToolContext, Workspace } from "@haft/core";
import { createHostWorkspace } from "@haft/workspace";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

export interface TemporaryWorkspace {
  root: string;
  workspace: Workspace;
  /** For `execute`. */
  context: ToolContext;
  write(path: string, content: string | Uint8Array): Promise<void>;
  read(path: string): Promise<string>;
  bytes(path: string): Promise<Buffer>;
}

/** A folder that is gone when the test is over. */
export async function temporaryWorkspace(
  files: Record<string, string | Uint8Array> = {},
): Promise<TemporaryWorkspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "haft-tools-fs-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const workspace = createHostWorkspace({ root });
  const space: TemporaryWorkspace = {
    root,
    workspace,
    context: toolContext(workspace),
    async write(path, content) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    read: (path) => readFile(join(root, path), "utf8"),
    bytes: (path) => readFile(join(root, path)),
  };
  for (const [path, content] of Object.entries(files)) await space.write(path, content);
  return space;
}

function toolContext(workspace: Workspace): ToolContext {
  const silent = (): void => undefined;
  return {
    toolName: "test",
    sessionKey: "test",
    sessionKind: "main",
    agentId: "main",
    messageChannel: "",
    workspace,
    model: { name: "", contextTokens: 200_000, images: true },
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    fetch: () => Promise.reject(new Error("not needed here")),
    call: () => Promise.reject(new Error("not needed here")),
  };
}
