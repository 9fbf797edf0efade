import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { catchErrorCode } from "../support.ts";
import { EACH_START_MODE, readAll, run, session, sharedSessions, start, decodeChunks } from "./support.ts";

const share = sharedSessions();

describe.each(EACH_START_MODE)("starting commands, $name", ({ options }) => {
  test("reports a program that cannot be found", async () => {
    const { processes } = share(options);
    expect(await catchErrorCode(start(processes, { argv: ["/etc/passwd"] }))).toBe("PROGRAM_NOT_FOUND");
    expect(await catchErrorCode(start(processes, {}))).toBe("INVALID_PROCESS");
    expect(await catchErrorCode(start(processes, { script: "echo a\0b" }))).toBe("INVALID_PROCESS");
    expect(await catchErrorCode(start(processes, { script: "true", shell: "no-such-shell" }))).toBe(
      "PROGRAM_NOT_FOUND",
    );
    expect(await processes.list()).toEqual([]);
  });

  test("reports a folder that was deleted during or before a command", async () => {
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
    expect(decodeChunks(await processes.read(id, 0))).toContain("still here");
    expect(info.exitCode).toBe(0);
    expect(await catchErrorCode(start(processes, { script: "true", cwd: "sub" }))).toBe("INVALID_PROCESS");
    // Another folder of the same name is another one, also for a shell that waits in the old one.
    mkdirSync(join(root, "sub"));
    writeFileSync(join(root, "sub", "new"), "");
    expect((await run(processes, { script: "ls", cwd: "sub" })).text).toBe("new\n");
  });

  test("allows repeating a failed start", async () => {
    const { root, processes } = share(options);
    expect(await catchErrorCode(processes.start("again", { script: "true", cwd: "sub" }))).toBe(
      "INVALID_PROCESS",
    );
    mkdirSync(join(root, "sub"));
    expect((await processes.start("again", { script: "true", cwd: "sub" })).state).toBe("running");
  });

  test("lets scripts open the standard streams by name", async () => {
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

  test("limits concurrent processes", async () => {
    const { processes } = session({ ...options, maxRunning: 3 });
    const running = await Promise.all([1, 2, 3].map(() => start(processes, "sleep 300")));
    expect(await catchErrorCode(start(processes, "true"))).toBe("TOO_MANY_PROCESSES");
    await processes.kill(running[0]!.id);
    expect((await run(processes, "echo again")).text).toBe("again\n");
  });

  test("gives the same result three times with a waiting shell", async () => {
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

  test("supports `exit`, `exec`, traps and syntax errors like a separate shell", async () => {
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
