import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeOf, failureOf } from "../support.ts";
import { EACH_WAY, readAll, run, session, sharedSessions, start, textOf, until } from "./support.ts";

const share = sharedSessions();

describe.each(EACH_WAY)("starting commands, $name", ({ options }) => {
  test("a script: its output, its code, where and when", async () => {
    const { root, processes } = share(options);
    const before = Date.now();
    const info = await run(processes, "echo out; echo err >&2; pwd; exit 3");
    expect(info).toMatchObject({
      state: "exited",
      reason: "exit",
      exitCode: 3,
      cwd: root,
      pty: false,
      stdin: "closed",
    });
    expect(info.output).toMatchObject({ stdout: 4 + root.length + 1, stderr: 4, dropped: 0, spooled: 0 });
    expect(info.text).toContain(root);
    expect(info.startedAt).toBeGreaterThanOrEqual(before - 1000);
    expect(info.endedAt).toBeGreaterThanOrEqual(info.startedAt);
    expect(info.signal).toBeUndefined();
  });

  test("a program without a shell: its arguments arrive as they are", async () => {
    const { processes } = share(options);
    const argv = ["printf", "%s|", "a b", "$HOME", "'", "\n", "*", ""];
    const { text, command } = await run(processes, { argv });
    expect(text).toBe("a b|$HOME|'|\n|*||");
    expect(command).toContain("'$HOME'");
  });

  test("what a program does not find is not started", async () => {
    const { processes } = share(options);
    const missing = await failureOf(start(processes, { argv: ["no-such-program-here"] }));
    expect(missing).toMatchObject({ code: "PROGRAM_NOT_FOUND", receipt: "none" });
    expect(await codeOf(start(processes, { argv: ["/etc/passwd"] }))).toBe("PROGRAM_NOT_FOUND");
    expect(await codeOf(start(processes, { argv: [] }))).toBe("INVALID_PROCESS");
    expect(await codeOf(start(processes, { argv: ["true"], script: "true" }))).toBe("INVALID_PROCESS");
    expect(await codeOf(start(processes, {}))).toBe("INVALID_PROCESS");
    expect(await codeOf(start(processes, { argv: ["echo", "a\0b"] }))).toBe("INVALID_PROCESS");
    expect(await codeOf(start(processes, { script: "echo a\0b" }))).toBe("INVALID_PROCESS");
    expect(await codeOf(start(processes, { argv: ["echo", "x".repeat(200_000)] }))).toBe("INVALID_PROCESS");
    expect(await codeOf(start(processes, { script: "true", shell: "no-such-shell" }))).toBe(
      "PROGRAM_NOT_FOUND",
    );
    expect(await processes.list()).toEqual([]);
  });

  test("a folder is checked before anything runs", async () => {
    const { root, processes } = session(options);
    mkdirSync(join(root, "sub"));
    writeFileSync(join(root, "file"), "");
    symlinkSync("/", join(root, "out"));
    symlinkSync("sub", join(root, "in"));
    const inside = (cwd: string) => start(processes, { script: "pwd -P", cwd });
    expect(await codeOf(inside("missing"))).toBe("WORKDIR_INVALID");
    expect(await codeOf(inside("~"))).toBe("WORKDIR_INVALID");
    expect(await codeOf(inside("~/x"))).toBe("WORKDIR_INVALID");
    expect(await codeOf(inside("  "))).toBe("WORKDIR_INVALID");
    expect(await codeOf(inside("file"))).toBe("WORKDIR_INVALID");
    expect(await codeOf(inside("/etc"))).toBe("OUTSIDE_WORKSPACE");
    expect(await codeOf(inside("out"))).toBe("OUTSIDE_WORKSPACE");
    expect(await codeOf(inside("../"))).toBe("OUTSIDE_WORKSPACE");
    for (const cwd of ["sub", "./sub/", join(root, "sub"), "in"]) {
      expect((await run(processes, { script: "pwd -P", cwd })).text.trim()).toBe(
        realpathSync(join(root, "sub")),
      );
    }
  });

  test("a folder that is deleted under a command, and before the next one", async () => {
    const { root, processes } = share(options);
    mkdirSync(join(root, "sub"));
    await run(processes, { script: "true", cwd: "sub" });
    const { id } = await start(processes, {
      script: "read x; ls; echo still here",
      cwd: "sub",
      stdin: "open",
    });
    rmSync(join(root, "sub"), { recursive: true });
    await processes.closeStdin(id);
    const info = await processes.wait(id);
    expect(textOf(await processes.read(id, 0))).toContain("still here");
    expect(info.exitCode).toBe(0);
    expect(await codeOf(start(processes, { script: "true", cwd: "sub" }))).toBe("WORKDIR_INVALID");
    // Another folder of the same name is another one, also for a shell that waits in the old one.
    mkdirSync(join(root, "sub"));
    writeFileSync(join(root, "sub", "new"), "");
    expect((await run(processes, { script: "ls", cwd: "sub" })).text).toBe("new\n");
  });

  test("the same caller id starts one process, however often and how close together", async () => {
    const { root, processes } = share(options);
    const spec = { script: "echo ran >> runs; sleep 0.05" };
    const infos = await Promise.all(Array.from({ length: 5 }, () => processes.start("once", spec)));
    expect(new Set(infos.map(({ id }) => id)).size).toBe(1);
    await processes.wait(infos[0]!.id);
    expect((await processes.start("once", spec)).id).toBe(infos[0]!.id);
    expect((await run(processes, { argv: ["cat", join(root, "runs")] })).text).toBe("ran\n");
  });

  test("a start that failed may be repeated", async () => {
    const { root, processes } = share(options);
    expect(await codeOf(processes.start("again", { script: "true", cwd: "sub" }))).toBe("WORKDIR_INVALID");
    mkdirSync(join(root, "sub"));
    expect((await processes.start("again", { script: "true", cwd: "sub" })).state).toBe("running");
  });

  test.each([5_000, 200_000, 1_000_000])("a script of %i bytes runs whole", async (length) => {
    const { processes } = share(options);
    const script = `cat <<'END' | wc -c\n${"x".repeat(length)}\nEND\nread line || echo no input; exit 5`;
    const info = await run(processes, script);
    expect(info.text.replaceAll(" ", "")).toBe(`${length + 1}\nnoinput\n`);
    expect(info).toMatchObject({ exitCode: 5 });
    expect(info.command.length).toBeLessThanOrEqual(4096);
  });

  test("standard streams can be opened by name, as scripts do", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, {
      script: "echo one >/dev/stdout; echo two >/dev/stderr; cat /dev/stdin",
      stdin: "open",
    });
    await processes.write(id, Buffer.from("three\n"));
    await processes.closeStdin(id);
    await processes.wait(id);
    const { stdout, stderr } = await readAll(processes, id);
    expect([stdout.toString(), stderr.toString()]).toEqual(["one\nthree\n", "two\n"]);
  });

  test("cancelled before it starts: nothing runs", async () => {
    const { root, processes } = share(options);
    const failure = await failureOf(
      processes.start("c", { script: `touch ${root}/ran` }, { signal: AbortSignal.abort() }),
    );
    expect(failure).toMatchObject({ code: "ABORTED", receipt: "none" });
    expect((await run(processes, "ls")).text).toBe("");
  });

  test("cancelled while it starts: nothing of it lives on", async () => {
    const { processes } = session(options);
    await run(processes, "true");
    const controller = new AbortController();
    const starting = processes.start("c", { argv: ["sleep", "300"] }, { signal: controller.signal });
    controller.abort();
    expect(await codeOf(starting.then((info) => processes.kill(info.id)))).toBe("ABORTED");
    await until("nothing runs", async () =>
      (await processes.list()).every(({ state }) => state !== "running"),
    );
  });

  test("no more than allowed at the same time", async () => {
    const { processes } = session({ ...options, maxRunning: 3 });
    const running = await Promise.all([1, 2, 3].map(() => start(processes, "sleep 300")));
    expect(await codeOf(start(processes, "true"))).toBe("TOO_MANY_PROCESSES");
    await processes.kill(running[0]!.id);
    expect((await run(processes, "echo again")).text).toBe("again\n");
  });

  test("nothing is left to chance by the shell that waits: three times the same answer", async () => {
    const { processes } = share(options);
    const script = `echo "$0 $# [$haft_script$haft_line] $(env | grep -v HAFT_ | sort | tr '\\n' ' ')"
ls /proc/self/fd | tr '\\n' ' '; pwd; umask; echo 'quote" $x \\ end'; read x || echo no input
set -e; false; echo not here`;
    const seen: string[] = [];
    for (let round = 0; round < 3; round++) {
      const info = await run(processes, script);
      expect(info.exitCode).toBe(1);
      seen.push(info.text);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toContain("sh 0 []");
    expect(seen[0]).not.toContain("not here");
  });

  test("`exit`, `exec`, traps and syntax errors do what they do in a shell of their own", async () => {
    const { processes } = share(options);
    for (let round = 0; round < 2; round++) {
      for (const shell of ["sh", "bash"]) {
        const one = (script: string) => run(processes, { script, shell });
        expect(await one("exec true")).toMatchObject({ exitCode: 0 });
        expect(await one("trap 'echo bye' EXIT; exit 9")).toMatchObject({ exitCode: 9, text: "bye\n" });
        expect(await one("kill -9 $$")).toMatchObject({ signal: "SIGKILL", reason: "signal" });
        expect((await one("echo 'never closed")).exitCode).not.toBe(0);
        expect(await one("")).toMatchObject({ exitCode: 0, text: "" });
        expect(await one("# only a comment")).toMatchObject({ exitCode: 0 });
        expect(await one("echo a\n\n  echo b # c\nif true; then\n echo d\nfi")).toMatchObject({
          text: "a\nb\nd\n",
        });
      }
    }
  });
});
