import { HaftError } from "@haft/core";
import { expect, test } from "vitest";
import { fileContract } from "../../../workspace/test/contract/files.ts";
import { createMemoryWorkspace } from "../../src/testing/index.ts";
import { newTree, createTreeWorkspace } from "../../src/testing/memory/memory-workspace.ts";
import { memoryShell } from "./memory-shell.ts";

fileContract("in memory", async () => {
  const root = newTree();
  return {
    workspace: { ...createTreeWorkspace(root, "host", []), processes: memoryShell(root) },
    close: async () => {},
  };
});

test("begins with files, folders and links", async () => {
  const { fs } = createMemoryWorkspace({
    files: { "a/b.txt": "text", "c.bin": Uint8Array.of(0, 255), "empty/": "" },
    links: { "l.txt": "a/b.txt" },
  });
  expect(new TextDecoder().decode((await fs.read("l.txt")).bytes)).toBe("text");
  expect((await fs.read("c.bin")).bytes).toEqual(Uint8Array.of(0, 255));
  expect(await fs.stat("empty")).toMatchObject({ type: "directory" });
});

test("rejects impossible files without further output", () => {
  const codeOf = (files: Record<string, string>) => {
    try {
      createMemoryWorkspace({ files });
      return "none";
    } catch (thrown) {
      return HaftError.is(thrown) ? thrown.code : thrown;
    }
  };
  expect(codeOf({ "../a": "" })).toBe("OUTSIDE_WORKSPACE");
  expect(codeOf({ a: "", "a/b": "" })).toBe("NOT_A_DIRECTORY");
  expect(codeOf({ "": "" })).toBe("INVALID_PATH");
});

test("settings that start programs want consent, which opens that place alone", async () => {
  const workspace = createMemoryWorkspace();
  const text = new TextEncoder().encode("{}");
  const write = (to: typeof workspace, path: string) => to.fs.write(path, text);
  const refused: unknown = await write(workspace, ".vscode/tasks.json").catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ code: "CONSENT_NEEDED", category: "policy", receipt: "none" });
  const { place } = (refused as HaftError).details as { place: string };
  const agreed = workspace.withConsent!([place]);
  expect(await write(agreed, ".vscode/tasks.json")).toMatchObject({ created: true });
  await expect(write(agreed, ".vscode/launch.json")).rejects.toMatchObject({ code: "CONSENT_NEEDED" });
});
