import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support.ts";
import { EACH_SHELL, hasShell, openShell } from "./shells.ts";

const NAMES = [
  "it's",
  '"quoted"',
  "-rf",
  "--help",
  "$(touch pwned)",
  "`touch pwned`",
  ";touch pwned;",
  "a b  c",
  "*",
  "?[a-z]",
  "back\\slash\\n",
  "%s%n",
  "ünï-日本-🦊",
  "=x",
  "&",
  "~",
  "#",
  "!",
];

describe.each(EACH_SHELL.filter(hasShell))("in %s", (shell) => {
  async function open() {
    const site = await openShell(shell);
    onTestFinished(() => site.close().catch(() => {}));
    return site;
  }

  it("treats names as data", async () => {
    const { runner, root } = await open();
    const { fs, processes } = runner;
    for (const name of NAMES) {
      const path = `./${name}`;
      await fs.write(path, Buffer.from(name));
      expect(readFileSync(join(root, name), "utf8")).toBe(name);
      expect(Buffer.from((await fs.read(path)).bytes).toString()).toBe(name);
    }
    const started = await processes.start(
      NAMES.join("\n"),
      { argv: ["cat", "--", ...NAMES], cwd: root, env: runner.env },
      { waitMs: 60_000 },
    );
    const { chunks } = await processes.read(started.id, 0);
    expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe(NAMES.join(""));
    expect((await fs.list(".")).entries.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
    for (const name of NAMES) await fs.rename(`./${name}`, `./${name}.moved`);
    for (const name of NAMES) await fs.remove(`./${name}.moved`);
    expect(readdirSync(root)).toEqual([]);
  });

  it("lists a name with line breaks as one name", async () => {
    const { runner, root } = await open();
    const names = ["two\nlines", "end\n", "\n", ".hidden", "..twice"];
    for (const name of names) writeFileSync(join(root, name), "");
    expect((await runner.fs.list(".")).entries.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it("works in a folder of any name", async () => {
    const { runner, root } = await open();
    for (const name of NAMES) mkdirSync(join(root, name));
    for (const name of NAMES) {
      const cwd = join(root, name);
      const { id } = await runner.processes.start(
        `in ${name}`,
        { script: "pwd", cwd, env: runner.env },
        { waitMs: 60_000 },
      );
      const { chunks } = await runner.processes.read(id, 0);
      expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe(`${cwd}\n`);
    }
  });

  it("transfers 1 MB of all bytes in both directions", async () => {
    const { runner, root } = await open();
    const all = Buffer.from(
      Uint8Array.from({ length: 1024 * 1024 + 77 }, (_, at) => (at * 7 + (at >> 8)) & 255),
    );
    await runner.fs.write("all", all);
    expect(Buffer.compare(readFileSync(join(root, "all")), all)).toBe(0);
    expect(Buffer.compare((await runner.fs.read("all")).bytes, all)).toBe(0);
  });

  it("names missing capabilities, and a runner that has them", async () => {
    const { runner, root } = await open();
    const { processes, env } = runner;
    expect(runner.capabilities).toEqual({ files: true, processes: true, pty: false, identify: false });
    const pty = processes.start("pty", { script: ":", cwd: root, env, pty: { cols: 80, rows: 24 } });
    await expect(pty).rejects.toMatchObject({
      code: "CAPABILITY_MISSING",
      fix: expect.stringContaining("Node") as string,
    });
  });

  it.each(["closed", "cut off"])("ends its processes when the stream is %s", async (how) => {
    const { runner, root, stream, pid } = await open();
    const script = "sleep 600 & setsid sleep 600 & echo $$ > started; sleep 600";
    await runner.processes.start("long", { script, cwd: root, env: { ...runner.env, MARK: root } });
    expect(await eventually(() => existsSync(join(root, "started")) && marked(root) >= 3)).toBe(true);
    if (how === "closed") await runner.close();
    else stream.destroy();
    expect(await eventually(() => marked(root) === 0 && !existsSync(`/proc/${pid}`))).toBe(true);
    expect(readdirSync(join(root, "..")).filter((name) => name.startsWith("haft-"))).toEqual([]);
  });
});

function marked(mark: string): number {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`MARK=${mark}`);
    } catch {
      return false;
    }
  }).length;
}
