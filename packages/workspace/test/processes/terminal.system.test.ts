import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { catchErrorCode } from "../support.ts";
import {
  findProcesses,
  run,
  session,
  sharedSessions,
  start,
  decodeChunks,
  uniqueSleep,
  until,
} from "./support.ts";

const share = sharedSessions();

const pty = { cols: 91, rows: 27 };

describe.each([
  { name: "library", options: {} },
  { name: "library, in the host", options: { startedBy: "host" as const } },
  { name: "script", options: { scriptTerminals: true } },
])("terminals: $name", ({ name, options }) => {
  test("have the requested size", async () => {
    const { processes } = share(options);
    const info = await run(processes, {
      script: "test -t 0 && test -t 1 && stty size; echo $TERM; exit 3",
      pty,
    });
    expect(info).toMatchObject({ pty: true, exitCode: 3, text: "27 91\r\nxterm-256color\r\n" });
    expect(info.output.stderr).toBe(0);
  });

  test("find the program before the start", async () => {
    const { processes } = share(options);
    expect(await catchErrorCode(start(processes, { argv: ["no-such-program"], pty }))).toBe(
      "PROGRAM_NOT_FOUND",
    );
    expect((await run(processes, { argv: ["printf", "%s|", "a b", "'$x"], pty })).text).toBe("a b|'$x|");
  });

  test("accept input, line ends and control characters", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, { argv: ["cat"], pty });
    await processes.write(id, Buffer.from("héllo\r"));
    await until(
      "it is echoed",
      async () => decodeChunks(await processes.read(id, 0)) === "héllo\r\nhéllo\r\n",
    );
    await processes.closeStdin(id);
    expect(await processes.wait(id)).toMatchObject({ exitCode: 0, reason: "exit" });
    const sleeping = await start(processes, { script: "echo ready; exec sleep 300", pty });
    await processes.read(sleeping.id, 0, { waitMs: 60_000 });
    await until("it is interrupted", async () => {
      await processes.write(sleeping.id, Uint8Array.of(3)).catch(() => {});
      return (await processes.wait(sleeping.id, { timeoutMs: 100 })).state === "exited";
    });
    const { signal, exitCode } = (await processes.info(sleeping.id))!;
    expect([signal, exitCode]).toEqual(name === "script" ? [undefined, 130] : ["SIGINT", undefined]);
  });

  test("can be resized while the command runs, not after its end", async () => {
    const { processes } = share(options);
    const script = "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done";
    const { id } = await start(processes, { script, shell: "bash", pty });
    await until("it is ready", async () => decodeChunks(await processes.read(id, 0)).includes("ready"));
    await processes.resize(id, { cols: 40, rows: 10 });
    await until("it knows", async () => decodeChunks(await processes.read(id, 0)).includes("10 40"));
    await processes.kill(id, { graceMs: 0 });
    await processes.resize(id, { cols: 50, rows: 20 });
    const { id: plain } = await start(processes, "sleep 300");
    expect(await catchErrorCode(processes.resize(plain, { cols: 1, rows: 1 }))).toBe("INVALID_PROCESS");
  });

  test("let a command continue that closes its descriptors", async () => {
    const { processes } = share(options);
    const script = "echo early; exec </dev/null >/dev/null 2>&1; sleep 0.3; echo late >/dev/tty; exit 7";
    const info = await run(processes, { script, pty });
    expect(info).toMatchObject({ reason: "exit", exitCode: 7, text: "early\r\nlate\r\n" });
  });

  test("lose no output of a short command", async () => {
    const { processes } = share(options);
    for (let round = 0; round < 4; round++) {
      const { text } = await run(processes, { script: "seq 1 500", pty });
      expect(text.split("\r\n")).toHaveLength(501);
    }
  });

  test("end processes that left the session and cleared their variables", async () => {
    const { processes } = share(options);
    const seconds = uniqueSleep();
    const sleep = `sleep ${seconds}`;
    const away = `env -i setsid sh -c "${sleep} & ${sleep}"`;
    // Its parent has ended by then, so that nothing but the mark tells whose it is.
    const script = `sh -c '${away} & echo $$; sleep 0.2'; echo orphaned; exec ${sleep}`;
    const { id } = await start(processes, { script, pty });
    await until("it is orphaned", async () => decodeChunks(await processes.read(id, 0)).includes("orphaned"));
    await until("all are there", () => findProcesses(`sleep\0${seconds}`).length === 3);
    await processes.kill(id, { graceMs: 0 });
    expect(findProcesses(seconds)).toEqual([]);
  });

  test("change nothing else for the command", async () => {
    const { processes } = share(options);
    const script =
      "set -- $(cat /proc/$$/stat); echo pid $1 $5 $6 $8; env | sort; ls -l /proc/$$/fd | grep -c /";
    const env = { A: "a  b\n$x'", m: "1", M: "" };
    const [onTerminal, onPipes] = [
      await run(processes, { argv: ["/bin/sh", "-c", script, "name", "arg"], env, pty }),
      await run(processes, { argv: ["/bin/sh", "-c", script, "name", "arg"], env }),
    ];
    // On pipes there is no editor: see no-editor.test.ts.
    const variables = (text: string): string[] =>
      text
        .split(/\r?\n/)
        .filter(
          (line) => /^\w+=/.test(line) && !/^(PWD|TERM|HAFT_PROCESS|SHELL|EDITOR|GIT_CONFIG_\w+)=/.test(line),
        );
    expect(variables(onTerminal.text)).toEqual(variables(onPipes.text));
    // Leader of its session and group, which the terminal is in the hands of.
    const [, pid, group, leader, foreground] = /pid (\d+) (\d+) (\d+) (\d+)/.exec(onTerminal.text)!;
    expect(new Set([pid, group, leader, foreground]).size).toBe(1);
    const broken = await run(processes, { argv: ["sh", "-c", "kill -TERM $$"], pty });
    expect(name === "script" ? broken.exitCode : broken.signal).toBe(name === "script" ? 143 : "SIGTERM");
  });

  test("end all their processes", async () => {
    const { processes } = share(options);
    const seconds = uniqueSleep();
    const { id } = await start(processes, {
      script: `(setsid sleep ${seconds} &); sleep ${seconds} & sleep 300`,
      pty,
    });
    await until("they run", () => findProcesses(`sleep\0${seconds}`).length === 2);
    expect(await processes.kill(id, { graceMs: 100 })).toMatchObject({ reason: "killed", state: "exited" });
    expect(findProcesses(seconds)).toEqual([]);
  });
});

test("leave no file open after 30 terminals", async () => {
  const { processes } = session({ startedBy: "host" });
  await run(processes, { script: "true", pty });
  const before = readdirSync("/proc/self/fd").length;
  for (let batch = 0; batch < 5; batch++) {
    await Promise.all(Array.from({ length: 6 }, () => run(processes, { script: "true", pty })));
  }
  expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before + 2);
});
