import type { Workspace } from "@haft/core";
import { describe, expect, test } from "vitest";
import {
  createSandboxedEditTool,
  createSandboxedReadTool,
  createSandboxedWriteTool,
} from "../../src/bound/sandboxed-tools.ts";
import {
  createSandboxBridge,
  createSandboxEditOperations,
  createSandboxReadOperations,
  createSandboxWriteOperations,
} from "../../src/compat/sandbox-bridge.ts";
import { createReadTool } from "../../src/read/read.ts";
import { pngImage } from "../support/images.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

const signal = new AbortController().signal;

/** A workspace that says it is in a sandbox. What one really is, is tested where there are real ones. */
async function aSandbox(files: Record<string, string | Uint8Array> = {}) {
  const space = await temporaryWorkspace(files);
  const { workspace } = space;
  const sandbox: Workspace = {
    fs: workspace.fs,
    describe: () => ({ ...workspace.describe(), target: "sandbox" }),
  };
  return { ...space, sandbox };
}

describe("sandboxed tools", () => {
  test("use their sandbox instead of the session's workspace, and report it", async () => {
    const { sandbox, read } = await aSandbox({ "src/main.js": "function main() {}\n" });
    const { context } = await temporaryWorkspace({ "src/main.js": "of the session\n" });
    const call = [signal, undefined, context] as const;
    const shown = await createSandboxedReadTool(sandbox).execute("1", { path: "src/main.js" }, ...call);
    expect(shown.content).toMatchObject([{ type: "text", text: "function main() {}\n" }]);
    expect(shown.details).toMatchObject({ path: "src/main.js", sandbox: true });
    const content = { path: "a/b", content: "x" };
    const written = await createSandboxedWriteTool(sandbox).execute("2", content, ...call);
    expect(written.details).toMatchObject({ path: "a/b", created: true, sandbox: true });
    const pair = { oldText: "x", newText: "y" };
    const edited = await createSandboxedEditTool(sandbox).execute("3", { path: "a/b", ...pair }, ...call);
    expect(edited.details).toMatchObject({ replacements: 1, sandbox: true });
    expect(await read("a/b")).toBe("y");
  });

  test("adapt the page size to the model's context window", async () => {
    const { sandbox, context } = await aSandbox({ long: "a line of some length\n".repeat(10_000) });
    const page = async (modelContextWindowTokens: number) => {
      const tool = createSandboxedReadTool(sandbox, { modelContextWindowTokens });
      const { content } = await tool.execute("1", { path: "long" }, signal, undefined, context);
      return JSON.stringify(content).length;
    };
    expect(await page(8_000)).toBeLessThan(await page(200_000));
  });

  test("reject host workspaces", async () => {
    const { workspace } = await temporaryWorkspace();
    for (const make of [createSandboxedReadTool, createSandboxedWriteTool, createSandboxedEditTool]) {
      expect(() => make(workspace)).toThrow(expect.objectContaining({ code: "SANDBOX_REQUIRED" }));
    }
  });

  test("report the sandbox if read has a sandboxed name", async () => {
    const { sandbox, context } = await aSandbox({ a: "x" });
    const inside = { ...context, workspace: sandbox, toolName: "sandboxed_read" };
    const { details } = await createReadTool().execute("1", { path: "a" }, signal, undefined, inside);
    expect(details).toMatchObject({ sandbox: true });
  });
});

describe("the sandbox bridge", () => {
  test("has all expected operations", async () => {
    const { sandbox, root, read, workspace } = await aSandbox({ "a.txt": "old" });
    const bridge = createSandboxBridge(sandbox);
    const at = (filePath: string) => ({ filePath, cwd: root });
    expect(bridge.resolvePath(at("x/../a.txt"))).toBe(`${root}/a.txt`);
    expect((await bridge.readFile(at("a.txt"))).toString()).toBe("old");
    await bridge.writeFile({ ...at("deep/b.txt"), data: "new" });
    await bridge.writeFile({ ...at("deep/c.txt"), data: "bmV3", encoding: "base64" });
    expect(await read("deep/b.txt")).toBe("new");
    expect(await read("deep/c.txt")).toBe("new");
    await bridge.mkdirp(at("deep/er"));
    expect(await bridge.stat(at("deep/er"))).toMatchObject({ type: "directory" });
    expect(await bridge.stat(at("deep/b.txt"))).toMatchObject({ type: "file", size: 3 });
    expect(await bridge.stat(at("nothing"))).toBeNull();
    await bridge.rename({ from: "deep/b.txt", to: "moved.txt", cwd: root });
    expect(await read("moved.txt")).toBe("new");
    await expect(bridge.remove(at("deep"))).rejects.toMatchObject({ code: expect.any(String) });
    await bridge.remove({ ...at("deep"), recursive: true });
    expect(await workspace.fs.stat("deep")).toBeUndefined();
    await bridge.remove({ ...at("deep"), force: true });
    await expect(bridge.remove(at("deep"))).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  test("enforces the boundary", async () => {
    const { sandbox, root } = await aSandbox();
    const bridge = createSandboxBridge(sandbox);
    const outside = { code: "OUTSIDE_WORKSPACE" };
    await expect(bridge.readFile({ filePath: "../x", cwd: root })).rejects.toMatchObject(outside);
    await expect(bridge.writeFile({ filePath: "/etc/haft-no", data: "x" })).rejects.toMatchObject(outside);
  });

  test("provides operations for reading, writing and editing", async () => {
    const { sandbox, root, read } = await aSandbox({ "picture.txt": pngImage(3, 2), "text.png": "no image" });
    const params = { bridge: createSandboxBridge(sandbox), root };
    const reading = createSandboxReadOperations(params);
    expect(await reading.detectImageMimeType(`${root}/picture.txt`)).toBe("image/png");
    expect(await reading.detectImageMimeType(`${root}/text.png`)).toBeUndefined();
    await reading.access(`${root}/text.png`);
    await expect(reading.access(`${root}/nothing`)).rejects.toMatchObject({ code: "ENOENT" });
    const writing = createSandboxWriteOperations(params);
    await writing.mkdir(`${root}/made`);
    await writing.writeFile(`${root}/made/a`, "x");
    expect((await createSandboxEditOperations(params).readFile("made/a")).toString()).toBe("x");
    expect(await read("made/a")).toBe("x");
  });
});
