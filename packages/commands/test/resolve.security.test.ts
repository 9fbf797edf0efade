import { describe, expect, test } from "vitest";
import { analyzeCommand, resolveTemplate } from "../src/index.ts";

const resolve = async (text: string, paths: Readonly<Record<string, string>>) =>
  resolveTemplate(await analyzeCommand(text, { cwd: "/work" }), (program) => paths[program]);

describe("an outline with what was found", () => {
  test("has the real paths, and none for builtins and what is not there", async () => {
    const { commands, unclear } = await resolve("git log | missing && pwd", { git: "/usr/bin/git" });
    expect(unclear).toBeUndefined();
    expect(commands.map(({ path }) => path)).toEqual(["/usr/bin/git", undefined, undefined]);
  });

  test("sees the interpreter behind a link", async () => {
    const { commands, unclear } = await resolve("./run -c evil", { "/work/./run": "/bin/bash" });
    expect(commands[0]?.carrier).toContain("bash");
    expect(unclear).toContain("bash");
  });

  test("does not call harmless what is something else", async () => {
    const { commands } = await resolve("head -n 1", { head: "/usr/bin/python3.11" });
    expect(commands[0]).toMatchObject({
      harmless: false,
      carrier: expect.stringContaining("python") as string,
    });
  });

  test("knows programs that are many, by the name they are started by", async () => {
    const { commands, unclear } = await resolve("head -n 1", { head: "/bin/busybox" });
    expect(unclear).toBeUndefined();
    expect(commands[0]).toMatchObject({ path: "/bin/busybox", harmless: true });
  });

  test("looks through wrappers of the system only", async () => {
    const paths = { nice: "/usr/bin/nice", git: "/usr/bin/git" };
    expect((await resolve("nice git log", paths)).unclear).toBeUndefined();
    for (const nice of ["/work/node_modules/.bin/nice", "/tmp/nice", undefined]) {
      const { unclear } = await resolve("nice git log", { ...paths, nice: nice ?? "" });
      expect(unclear).toContain("nice is not the system's");
    }
  });
});
