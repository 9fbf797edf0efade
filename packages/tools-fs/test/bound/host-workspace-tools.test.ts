import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createHostWorkspaceEditTool,
  createHostWorkspaceWriteTool,
} from "../../src/bound/host-workspace-tools.ts";
import { createWriteTool } from "../../src/write/write.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

const signal = new AbortController().signal;

test("uses its folder instead of the session's workspace", async () => {
  const host = await temporaryWorkspace();
  const session = await temporaryWorkspace();
  const write = createHostWorkspaceWriteTool(host.root);
  const edit = createHostWorkspaceEditTool(host.root);
  const call = [signal, undefined, session.context] as const;
  const content = 'console.log("Hello");';
  const written = await write.execute("1", { path: "src/main.js", content }, ...call);
  expect(written.content).toEqual([{ type: "text", text: "Successfully wrote 21 bytes to src/main.js" }]);
  const details = { path: "src/main.js", workspaceOnly: true };
  expect(written.details).toMatchObject({ ...details, bytesWritten: 21, created: true });
  const pair = { oldText: content, newText: 'console.log("Hello, World!");' };
  const edited = await edit.execute("2", { path: "src/main.js", ...pair }, ...call);
  expect(edited.content).toEqual([{ type: "text", text: "Successfully edited src/main.js" }]);
  expect(edited.details).toMatchObject(details);
  expect(await host.read("src/main.js")).toBe('console.log("Hello, World!");');
});

test("stays inside the folder unless an option permits more", async () => {
  const host = await temporaryWorkspace({ "inside/keep": "" });
  const root = join(host.root, "inside");
  await symlink("..", join(root, "up"));
  const run = async (options: { workspaceOnly?: boolean }, path: string) => {
    const tool = createHostWorkspaceWriteTool(root, options);
    return tool.execute("1", { path, content: "x" }, signal, undefined, host.context);
  };
  for (const path of ["../out", join(host.root, "out"), "up/out", "/etc/haft-must-not-exist"]) {
    await expect(run({}, path)).rejects.toMatchObject({ code: "OUTSIDE_WORKSPACE", receipt: "none" });
  }
  await run({ workspaceOnly: false }, join(host.root, "out"));
  expect(await host.read("out")).toBe("x");
});

test("keeps the names of the tools, and opens nothing before the first call", () => {
  expect(createHostWorkspaceWriteTool("/nowhere").name).toBe("write");
  expect(createHostWorkspaceEditTool("/nowhere").otherNames).toHaveProperty("host_workspace_edit");
});

test("reports workspaceOnly if a session's tool has a host_workspace_ name", async () => {
  const space = await temporaryWorkspace();
  const context = { ...space.context, toolName: "host_workspace_write" };
  const params = { path: "a", content: "x" };
  const written = await createWriteTool().execute("call", params, signal, undefined, context);
  expect(written.details).toMatchObject({ workspaceOnly: true });
});
