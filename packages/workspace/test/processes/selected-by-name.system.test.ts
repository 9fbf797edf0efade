import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import {
  commandLine,
  findProcesses,
  run,
  session,
  start,
  uniqueSleep,
  until,
  START_MODES,
} from "./support.ts";

// Only in a namespace of its own: these commands end processes by their names.
const options = START_MODES["runner in a namespace"];
const hasProgram = (name: string): boolean => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;

/** Commands that end programs of the model, and must end neither the runner nor their own shell. */
const SELECTIONS = [
  "pkill node",
  "pkill -9 node",
  "pkill haft",
  "pkill -f haft",
  "pkill -9 -f 'vite|next|server.js|node|haft|runner|host'",
  'pkill -9 -f "npm run dev"',
  "pkill -9 -f no-such-program-anywhere",
  "pkill -9 -x node",
  "pkill -9 -o -f node; pkill -9 -n -f node",
  "pkill -P 1",
  "pkill -HUP -P 1; pkill -ALRM -P 1; pkill -TSTP -P 1; pkill -USR2 -P 1",
  "pgrep -f node | xargs -r kill -9",
  "pgrep -f 'node|server' | xargs -r kill",
  "kill $(pidof node)",
  'kill $(pidof "$(command -v node)")',
  "ps ax -o pid=,args= | grep -E '[n]ode|[s]erver' | awk '{ print $1 }' | xargs -r kill -9",
  "for p in /proc/[0-9]*; do case $(tr '\\0' ' ' <$p/cmdline) in *node*server*) kill -9 ${p#/proc/} ;; esac; done",
];
if (hasProgram("killall")) SELECTIONS.push("killall node", "killall -9 node", "killall -r 'n.de'");

describe.skipIf(options === undefined || !hasProgram("pkill"))(
  "a command that kills processes by name",
  () => {
    test.each(["bash", "sh"])(
      "continues in %s, and other processes continue",
      { timeout: 120_000 },
      async (shell) => {
        const { processes } = session({ ...options, isolation: "namespace" });
        const seconds = uniqueSleep();
        const { id, pid } = await start(processes, { script: `exec sleep ${seconds}`, shell });
        for (const selection of SELECTIONS) {
          // The name of what it looks for comes again, in a comment.
          const script = `${selection} 2>/dev/null; echo REST # ${selection}`;
          for (let round = 0; round < 2; round++) {
            const { text, exitCode } = await run(processes, { script, shell });
            expect([selection, text.split("\n").at(-2), exitCode]).toEqual([selection, "REST", 0]);
          }
          expect([selection, (await processes.info(id))?.state]).toEqual([selection, "running"]);
        }
        expect((await processes.info(id))?.pid).toBe(pid);
      },
    );

    test("kills the selected processes", async () => {
      const { processes } = session({ ...options, isolation: "namespace" });
      const seconds = uniqueSleep();
      const { id } = await start(processes, `sleep ${seconds}; echo woken`);
      await until("it sleeps", () => findProcesses(`sleep\0${seconds}`).length === 1);
      const { text } = await run(processes, `pkill -f "sleep ${seconds}"; echo REST`);
      expect(text).toBe("REST\n");
      expect(await processes.wait(id)).toMatchObject({ state: "exited", exitCode: 0 });
    });

    test("continues on a terminal", async () => {
      for (const scriptTerminals of [false, true]) {
        const { processes } = session({ ...options, isolation: "namespace", scriptTerminals });
        const seconds = uniqueSleep();
        const script = `pkill -9 -f "sleep ${seconds}"; test -t 0 && echo REST`;
        const { text } = await run(processes, { script, shell: "bash", pty: { cols: 80, rows: 24 } });
        expect(text).toBe("REST\r\n");
      }
    });
  },
);

describe.each(["bash", "sh"])("the script of %s", (shell) => {
  test.each([false, true])("is not in the arguments of any process (spare shell: %s)", async (spareShell) => {
    const { processes } = session({ ...options, spareShell });
    const secret = `secret-${uniqueSleep()}`;
    await run(processes, { script: "true", shell });
    const script = `cat <<E >/dev/null\n${secret}\nE\necho started; read -r _ </dev/zero`;
    const { id, pid } = await start(processes, { script, shell });
    await until("it runs", async () => (await processes.read(id, 0)).total > 0);
    expect(findProcesses(secret)).toEqual([]);
    expect(commandLine(pid)).not.toContain(secret);
    await processes.kill(id);
  });

  test("runs unchanged with any content and length", async () => {
    const { processes } = session(options);
    for (const length of [10, 3_000, 20_000, 300_000]) {
      const text = `\u0001\u007f\\ ä漢 '"$x\t`.replaceAll("'", "").repeat(Math.ceil(length / 12));
      const script = `cat <<'E'\n${text}\nE\nexit 7`;
      const result = await run(processes, { script, shell });
      expect([length, result.exitCode, result.text === `${text}\n`]).toEqual([length, 7, true]);
    }
  });

  test("has the standard input, options and name of a shell with -c", async () => {
    const { processes } = session(options);
    const script =
      'read -r line; echo "$line|$0|$#|${-#*c}" | sed "s/|[^|]*$//"; case $- in *c*) echo c ;; esac';
    const { id } = await start(processes, { script, shell, stdin: "open" });
    await processes.write(id, Buffer.from("input\n"));
    await processes.wait(id);
    const { chunks } = await processes.read(id, 0);
    expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe(
      `input|${shell}|0\n${shell === "bash" ? "c\n" : ""}`,
    );
  });
});

test("bash has the script in BASH_EXECUTION_STRING, and no other trace of its transfer", async () => {
  const { processes } = session(options);
  const script =
    'echo "$BASH_EXECUTION_STRING"; [ -e /proc/$$/fd/3 ] && echo open; declare -p _s _l 2>/dev/null';
  for (let round = 0; round < 2; round++)
    expect((await run(processes, { script, shell: "bash" })).text).toBe(`${script}\n`);
});

test.each(["sleep 671", "/bin/sleep 672"])(
  "a script of one simple command becomes that program: %s",
  async (script) => {
    const { processes } = session({ startedBy: "host" });
    for (let round = 0; round < 2; round++) {
      const { id, pid } = await start(processes, { script, shell: "bash" });
      const words = `${script.replace(" ", "\0")}\0`;
      await until("it is", () => commandLine(pid) === words);
      expect(commandLine(pid)).toBe(words);
      await processes.kill(id);
    }
  },
);

test.each([
  ["time", "time true; echo $?", "0\n"],
  ["a builtin", "kill -l HUP", "1\n"],
  ["an assignment", "a=b", ""],
  ["a name that is nowhere", "no-such-program-here x 2>/dev/null || echo none", "none\n"],
])("bash reads %s like with -c", async (_what, script, text) => {
  const { processes } = session(options);
  const result = await run(processes, { script: `${script} 2>/dev/null`, shell: "bash" });
  expect(result.text.replaceAll(/.*(?:real|user|sys).*\n|^\n/gm, "")).toBe(text);
});
