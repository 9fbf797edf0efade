import type { ToolContext, Workspace } from "@haft/core";
import { createHostWorkspace } from "@haft/workspace";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "./tool-context.ts";
import { tree } from "./tree.ts";

export type TemporaryWorkspace = Awaited<ReturnType<typeof temporaryWorkspace>>;

/** A folder that is gone when the test is over; `context` is for `execute`. */
export async function temporaryWorkspace(files: Record<string, string | Uint8Array> = {}) {
  const root = temporaryFolder();
  tree(root, files);
  const workspace: Workspace = createHostWorkspace({ root });
  return {
    root,
    workspace,
    context: toolContext(workspace),
    write: async (path: string, content: string | Uint8Array) => tree(root, { [path]: content }),
    read: (path: string) => readFile(join(root, path), "utf8"),
    bytes: (path: string) => readFile(join(root, path)),
  };
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
