import type { FileIdentity, Processes, ProcessSpec } from "@haft/core";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { catchFailure } from "../support.ts";
import { EACH_START_MODE, run, sharedSessions, start } from "./support.ts";

const share = sharedSessions();

const GOOD = "#!/bin/sh\necho good\n";
const EVIL = "#!/bin/sh\necho evil\n";
const OLD = new Date("2020-01-01");

const TERMINALS = [
  { name: "terminal", options: {}, pty: { cols: 80, rows: 24 } },
  { name: "terminal by script", options: { scriptTerminals: true }, pty: { cols: 80, rows: 24 } },
];

/** A session with `tool`, `other` and the folder `sub` in its root, all of them old. */
function bench(options: Parameters<typeof share>[0]) {
  const { root, processes } = share(options);
  const at = (name: string): string => join(root, name);
  mkdirSync(at("sub"));
  mkdirSync(at("aside"));
  for (const [name, text] of [
    ["tool", GOOD],
    ["other", EVIL],
    ["sub/tool", GOOD],
    ["aside/tool", EVIL],
  ] as const) {
    writeFileSync(at(name), text, { mode: 0o755 });
    utimesSync(at(name), OLD, OLD);
  }
  symlinkSync("tool", at("link"));
  return { at, processes };
}

/** All that is known of a few names, and of the folder. */
async function identifyAll(
  processes: Processes,
  names: string[],
  cwd?: string,
  hash = true,
): Promise<FileIdentity[]> {
  const found = await processes.identify(
    names.map((name) => ({ name, hash })),
    cwd === undefined ? {} : { cwd },
  );
  return [found.cwd, ...found.files.map((one) => one!)];
}

type Bench = ReturnType<typeof bench>;

/** What happens between the decision and the start, and what is said of it. */
const SWAPS: Record<
  string,
  { names: string[]; swap: (bench: Bench) => void; cwd?: string; message: RegExp }
> = {
  "the program is replaced": {
    names: ["./tool"],
    swap: ({ at }) => renameSync(at("other"), at("tool")),
    message: /tool" was replaced/,
  },
  "the program is replaced by a link to another": {
    names: ["./tool"],
    swap: ({ at }) => {
      unlinkSync(at("tool"));
      symlinkSync("other", at("tool"));
    },
    message: /tool" changed its target to ".*other" after/,
  },
  "the program is replaced by a folder": {
    names: ["./tool"],
    swap: ({ at }) => {
      unlinkSync(at("tool"));
      mkdirSync(at("tool"));
    },
    message: /tool" was replaced/,
  },
  "the program is missing": {
    names: ["./tool"],
    swap: ({ at }) => unlinkSync(at("tool")),
    message: /tool" disappeared/,
  },
  "the script gets other content of the same size and time": {
    names: ["./tool"],
    swap: ({ at }) => {
      writeFileSync(at("tool"), EVIL);
      utimesSync(at("tool"), OLD, OLD);
    },
    message: /tool" (was changed|changed its content)/,
  },
  "the script is written to and put back as it was": {
    names: ["./tool"],
    swap: ({ at }) => {
      writeFileSync(at("tool"), EVIL);
      writeFileSync(at("tool"), GOOD);
      utimesSync(at("tool"), OLD, OLD);
    },
    message: /tool" was changed or moved/,
  },
  "the program is exchanged and the very file is put back": {
    names: ["./tool"],
    swap: ({ at }) => {
      renameSync(at("tool"), at("kept"));
      renameSync(at("other"), at("tool"));
      renameSync(at("tool"), at("other"));
      renameSync(at("kept"), at("tool"));
    },
    message: /tool" was changed or moved/,
  },
  "an equal copy replaces it": {
    names: ["./tool"],
    swap: ({ at }) => {
      copyFileSync(at("tool"), at("copy"));
      renameSync(at("copy"), at("tool"));
    },
    message: /tool" was replaced/,
  },
  "a link points elsewhere": {
    names: ["./link"],
    swap: ({ at }) => {
      unlinkSync(at("link"));
      symlinkSync("other", at("link"));
    },
    message: /link" changed its target to ".*other" after/,
  },
  "the target of a link is replaced": {
    names: ["./link"],
    swap: ({ at }) => renameSync(at("other"), at("tool")),
    message: /link" was replaced/,
  },
  "a folder on the way becomes a link": {
    names: ["./sub/tool"],
    swap: ({ at }) => {
      renameSync(at("sub"), at("gone"));
      symlinkSync("aside", at("sub"));
    },
    message: /sub\/tool" changed its target to ".*aside\/tool" after/,
  },
  "the folder it runs in is replaced": {
    names: [],
    cwd: "sub",
    swap: ({ at }) => {
      renameSync(at("sub"), at("gone"));
      renameSync(at("aside"), at("sub"));
    },
    message: /sub" was replaced/,
  },
  "the folder it runs in is made anew": {
    names: [],
    cwd: "sub",
    swap: ({ at }) => {
      rmSync(at("sub"), { recursive: true });
      mkdirSync(at("sub"));
    },
    message: /sub" was/,
  },
  "the folder it runs in becomes a link": {
    names: [],
    cwd: "sub",
    swap: ({ at }) => {
      renameSync(at("sub"), at("gone"));
      symlinkSync("aside", at("sub"));
    },
    message: /(sub|aside)"/,
  },
};

describe.each(EACH_START_MODE)("an outdated plan, $name", ({ options }) => {
  test.each(Object.entries(SWAPS))("rejects the start: %s", async (_, { names, swap, cwd, message }) => {
    const testBench = bench(options);
    const { at, processes } = testBench;
    const expected = await identifyAll(processes, names, cwd);
    const script = `touch ${at("ran")}; ./tool`;
    const spec = { script, expect: expected, ...(cwd === undefined ? {} : { cwd }) };
    expect((await run(processes, { ...spec, script: "echo as it was" })).text).toBe("as it was\n");
    // The clock of a file system may be coarser than a test is fast; what is fresher than its tick is hashed.
    await new Promise((resolve) => setTimeout(resolve, 10));
    swap(testBench);
    const failure = await catchFailure(start(processes, spec));
    expect(failure).toMatchObject({ code: "PLAN_CHANGED", category: "policy", receipt: "none" });
    expect(failure.message).toMatch(message);
    expect(failure.fix).toBeDefined();
    expect(existsSync(at("ran"))).toBe(false);
    expect(await processes.list()).toHaveLength(1);
  });

  test("detects a rewrite within one clock tick by its content", async () => {
    const { at, processes } = bench(options);
    for (let round = 0; round < 20; round++) {
      writeFileSync(at("tool"), GOOD);
      const [, tool] = await identifyAll(processes, ["./tool"], undefined, false);
      writeFileSync(at("tool"), EVIL);
      expect(await catchFailure(start(processes, { argv: ["./tool"], expect: [tool!] }))).toHaveProperty(
        "code",
        "PLAN_CHANGED",
      );
    }
  });

  test("does not use the waiting shell, which started before the check", async () => {
    const { at, processes } = bench(options);
    copyFileSync("/bin/sh", at("shell"));
    const spec = { script: `readlink /proc/$$/exe; sh -c 'echo $PPID'`, shell: at("shell") };
    await run(processes, spec);
    await new Promise((resolve) => setTimeout(resolve, 100));
    // Its shell waits now. Another one takes its name, is looked at and decided about.
    copyFileSync("/bin/sh", at("new"));
    renameSync(at("new"), at("shell"));
    const expected = await identifyAll(processes, ["./shell"]);
    const { text } = await run(processes, { ...spec, expect: expected });
    expect(text).toContain(`${at("shell")}\n`);
    expect(text).not.toContain("deleted");
  });

  test("keeps the name, arguments and folder of a program", async () => {
    const { at, processes } = bench(options);
    copyFileSync("/bin/sh", at("my-shell"));
    symlinkSync("my-shell", at("its-link"));
    const script = `cat /proc/$$/comm; echo "$0 $1"; pwd; readlink /proc/$$/exe; set -- /proc/$$/fd/*; echo $#`;
    for (const [name, program] of [
      ["my-shell", at("my-shell")],
      ["its-link", "./its-link"],
    ] as const) {
      const argv = [program, "-c", script, "zero", "one"];
      const plain = await run(processes, { argv });
      const expected = await identifyAll(processes, [`./${name}`]);
      const { text, command } = await run(processes, { argv, expect: expected });
      expect(text).toContain(`${name}\nzero one\n${at("")}`.replace(/\/$/, ""));
      expect([text, command]).toEqual([plain.text, plain.command]);
    }
    const expected = await identifyAll(processes, ["./tool"]);
    expect((await run(processes, { argv: ["./tool"], expect: expected })).text).toBe("good\n");
    expect(await catchFailure(start(processes, { argv: ["missing"], expect: expected }))).toHaveProperty(
      "code",
      "PROGRAM_NOT_FOUND",
    );
  });

  test("rejects the start if a missing file has appeared", async () => {
    const { at, processes } = bench(options);
    symlinkSync("nowhere", at("dangling"));
    const absent = (name: string): FileIdentity => ({
      path: at(name),
      realPath: at(name),
      version: "absent",
    });
    const spec = { script: "echo ran", expect: ["GNUmakefile", "tool/below", "dangling"].map(absent) };
    expect((await run(processes, spec)).text).toBe("ran\n");
    for (const name of ["GNUmakefile", "nowhere"]) {
      writeFileSync(at(name), "");
      const failure = await catchFailure(start(processes, spec));
      expect(failure).toMatchObject({ code: "PLAN_CHANGED", receipt: "none" });
      expect(failure.message).toContain("appeared after the decision");
      rmSync(at(name));
    }
  });

  test("starts after a new decision about the same call", async () => {
    const { at, processes } = bench(options);
    const before = await identifyAll(processes, ["./tool"]);
    renameSync(at("other"), at("tool"));
    const spec = (expected: FileIdentity[]): ProcessSpec => ({ argv: ["./tool"], expect: expected });
    expect(await catchFailure(processes.start("same", spec(before)))).toHaveProperty("code", "PLAN_CHANGED");
    const info = await processes.start("same", spec(await identifyAll(processes, ["./tool"])));
    expect(await processes.wait(info.id)).toMatchObject({ exitCode: 0 });
  });
});

test.each(TERMINALS)("rejects the start on a $name", async ({ options, pty }) => {
  const { at, processes } = bench(options);
  const expected = await identifyAll(processes, ["./tool"]);
  const spec = { argv: [at("tool")], pty, expect: expected };
  expect((await run(processes, spec)).text).toBe("good\r\n");
  renameSync(at("other"), at("tool"));
  expect(await catchFailure(start(processes, spec))).toMatchObject({ code: "PLAN_CHANGED", receipt: "none" });
});
