import { contentToText } from "@haft/core";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createSandboxedTools } from "../../src/bound/sandboxed-tools.ts";
import { isSkipped } from "../sandbox/support.ts";

describe.skipIf(isSkipped)("sandboxed tools", () => {
  test("see one folder with files and commands, and nothing else of the host", async () => {
    const root = await temporaryFolder();
    await writeFile(join(root, "a.txt"), "one\n");
    const tools = createSandboxedTools({ root, backend: "bubblewrap" });
    onTestFinished(() => tools.close());
    expect(await tools.edit.call({ path: "a.txt", oldText: "one", newText: "two" })).toMatchObject({
      kind: "ok",
    });
    const outcome = await tools.exec.call({
      command: `cat a.txt; test -e ${root} || echo gone; cat /proc/net/dev`,
    });
    expect(contentToText(outcome.content)).toMatch(/^two\ngone\n/);
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("two\n");
    const waiting = await tools.exec.execute("1", { command: "sleep 300", background: true });
    expect(waiting.details).toMatchObject({ status: "running" });
    await tools.close();
    expect(await tools.read.call({ path: "a.txt" })).toMatchObject({ code: "SESSION_CLOSED" });
  });

  test("work in a folder that ends with the sandbox by default", async () => {
    const tools = createSandboxedTools({ backend: "bubblewrap" });
    onTestFinished(() => tools.close());
    expect(await tools.write.call({ path: "mine.txt", content: "x" })).toMatchObject({ kind: "ok" });
    expect(contentToText((await tools.exec.call({ command: "ls; pwd" })).content)).toBe(
      "mine.txt\n/workspace",
    );
    expect(existsSync("mine.txt")).toBe(false);
  });
});

test("return an error if the sandbox cannot be opened, and never run on the host", async () => {
  const root = await temporaryFolder();
  const command = { command: "touch ran" };
  expect(await createSandboxedTools({ root: join(root, "no") }).exec.call(command)).toMatchObject({
    code: "ROOT_INVALID",
  });
  const backend = {
    id: "none",
    probe: async () => ({ available: false as const, reason: "it is a test" }),
    open: () => Promise.reject(new Error("it is a test")),
  };
  expect(await createSandboxedTools({ root, backend: backend as never }).exec.call(command)).toMatchObject({
    kind: "error",
    receipt: "none",
  });
  expect(existsSync(join(root, "ran"))).toBe(false);
  expect(() => createSandboxedTools({ netwrok: "full" } as object)).toThrow(/network/);
  const opensNothing = createSandboxedTools({ root, backend: { id: "none" } as never });
  expect(await opensNothing.exec.call(command)).toMatchObject({ code: "INVALID_OPTIONS", receipt: "none" });
  for (const given of [
    { model: { contextTokens: "many" } },
    { root: "" },
    { root: 5 },
    { limits: { cpus: "all" } },
    null,
    ".",
  ])
    expect(() => createSandboxedTools(given as object)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTIONS" }),
    );
});
