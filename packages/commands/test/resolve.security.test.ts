import { describe, expect, test } from "vitest";
import { analyzeCommand, resolveTemplate } from "../src/index.ts";

const resolve = async (text: string, paths: Readonly<Record<string, string>>) =>
  resolveTemplate(await analyzeCommand(text, { cwd: "/work" }), (program) => paths[program]);

describe("a resolved template", () => {
  test("has real paths, except for builtins and missing programs", async () => {
    const { commands, unclear } = await resolve("git log | missing && pwd", { git: "/usr/bin/git" });
    expect(unclear).toBeUndefined();
    expect(commands.map(({ path }) => path)).toEqual(["/usr/bin/git", undefined, undefined]);
  });

  test("recognizes the interpreter behind a link", async () => {
    const { commands, unclear } = await resolve("./run -c evil", { "/work/./run": "/bin/bash" });
    expect(commands[0]?.carrier).toContain("bash");
    expect(unclear).toContain("bash");
  });

  test("is not harmless if a name leads to another program", async () => {
    const { commands } = await resolve("head -n 1", { head: "/usr/bin/python3.11" });
    expect(commands[0]).toMatchObject({
      harmless: false,
      carrier: expect.stringContaining("python") as string,
    });
  });

  test("recognizes multi-call binaries by the name with which they are started", async () => {
    const { commands, unclear } = await resolve("head -n 1", { head: "/bin/busybox" });
    expect(unclear).toBeUndefined();
    expect(commands[0]).toMatchObject({ path: "/bin/busybox", harmless: true });
  });

  test("accepts wrappers only from system folders", async () => {
    const paths = { nice: "/usr/bin/nice", git: "/usr/bin/git" };
    expect((await resolve("nice git log", paths)).unclear).toBeUndefined();
    for (const nice of ["/work/node_modules/.bin/nice", "/tmp/nice", undefined]) {
      const { unclear } = await resolve("nice git log", { ...paths, nice: nice ?? "" });
      expect(unclear).toContain("nice is not the system's");
    }
  });
});
