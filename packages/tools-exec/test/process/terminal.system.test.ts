import { execFileSync } from "node:child_process";
import { env } from "node:process";
import { afterAll, describe, expect, test } from "vitest";
import type { Bench } from "../support/bench.ts";
import { bench, failure, getResultText, until } from "../support/bench.ts";

const { exec, finish, process, start } = bench({}, {}, afterAll);

function has(program: string): boolean {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`]);
    return true;
  } catch {
    if (env["HAFT_REQUIRE_SERVICES"] !== undefined) throw new Error(`This needs ${program}.`);
    return false;
  }
}

/** Polls when the terminal shows something: how its output arrives is up to the machine. */
function pollOnceShown(process: Bench["process"], sessionId: string): (shown: string) => Promise<string> {
  return async (shown) => {
    await until(`${shown} is there`, async () =>
      getResultText(await process({ action: "log", sessionId })).includes(shown),
    );
    return getResultText(await process({ action: "poll", sessionId }));
  };
}

test("resize needs a terminal", async () => {
  const sessionId = await start("sleep 631");
  expect(await failure(process({ action: "resize", sessionId, cols: 100, rows: 40 }))).toMatchObject({
    code: "INVALID_PROCESS",
  });
});

test("runs a command that detects its terminal", async () => {
  const result = await exec({ command: "test -t 0 && test -t 1 && stty size; exit 2", pty: true });
  expect(getResultText(result)).toBe("30 120\n\n(Command exited with code 2)");
});

test("shows the last state of a progress bar, without colours, and joins long lines", async () => {
  const bar = String.raw`for i in 1 2 3 4 5; do printf '\r\033[32m%s0%%\033[0m' $i; done; echo; printf '%0300d\n' 7`;
  expect(getResultText(await exec({ command: bar, pty: true }))).toBe(`50%\n${"0".repeat(299)}7`);
});

test("truncates output beyond the memory of the terminal, which is in the log", async () => {
  const result = await exec({ command: "seq 1 30000", pty: true });
  const text = getResultText(result);
  expect(text.startsWith("1\n2\n3\n")).toBe(true);
  expect(text).toMatch(/\[… 1\d\d KB left out …\]/);
  const { sessionId } = result.details as { sessionId: string };
  expect(getResultText(await process({ action: "log", sessionId, offset: 12_345, limit: 2 }))).toBe(
    "12346\n12347",
  );
});

test("poll shows only changed lines, log shows all lines", async () => {
  const sessionId = await start(
    "printf 'name? '; read name; printf 'load 1%%'; read x; printf '\\033[1A\\rload 2%%'; read x",
    { pty: true },
  );
  const poll = pollOnceShown(process, sessionId);
  expect(await poll("name?")).toBe("name?\n\nProcess still running.");
  expect(getResultText(await process({ action: "submit", sessionId, data: "me" }))).toBe(
    `Submitted session ${sessionId} (sent Enter).`,
  );
  expect(await poll("load 1%")).toBe("name? me\nload 1%\n\nProcess still running.");
  await process({ action: "send-keys", sessionId, keys: ["enter"] });
  expect(await poll("load 2%")).toBe("load 2%\n\nProcess still running.");
  expect(getResultText(await process({ action: "log", sessionId }))).toBe("name? me\nload 2%");
});

test("sends control keys to the program", async () => {
  const sessionId = await start("trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.05; done", {
    pty: true,
  });
  await process({ action: "poll", sessionId, timeout: 60_000 });
  expect(getResultText(await process({ action: "send-keys", sessionId, keys: ["C-c"] }))).toBe(
    `Sent 1 bytes of keys to session ${sessionId}.`,
  );
  const text = (await finish(sessionId)).join("\n");
  expect(text).toContain("caught");
  expect(text).toContain("Process exited with code 7.");
});

test("resizes the program, and ignores a resize after its end", async () => {
  const sessionId = await start("trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done", {
    pty: true,
  });
  await process({ action: "poll", sessionId, timeout: 60_000 });
  const result = await process({ action: "resize", sessionId, cols: 70, rows: 20 });
  expect(getResultText(result)).toBe(`Resized session ${sessionId} to 70x20.`);
  expect((await finish(sessionId)).join("\n")).toContain("20 70");
  expect(getResultText(await process({ action: "resize", sessionId, rows: 25 }))).toBe(
    `Resized session ${sessionId} to 70x25.`,
  );
});

test("answers terminal queries of a program, also between calls", async () => {
  const ask = String.raw`stty raw -echo; printf '\033[3;5H\033[6n'; head -c 6 | od -An -c; stty sane`;
  expect(getResultText(await exec({ command: ask, pty: true })).replaceAll(/\s+/g, " ")).toContain(
    "033 [ 3 ; 5 R",
  );
});

describe("sends arrows in the mode of the program, and brackets pastes on its request", () => {
  const show = String.raw`stty raw -echo; printf '\033[?1h\033[?2004hready'; head -c $COUNT | od -An -c; stty sane`;

  test.each([
    {
      action: "send-keys",
      input: { keys: ["up", "C-up", "f5"] },
      bytes: String.raw`033 O A 033 [ 1 ; 5 A 033 [ 1 5 ~`,
      count: 14,
    },
    {
      action: "paste",
      input: { text: "a\u001b[201~b" },
      bytes: String.raw`033 [ 2 0 0 ~ a b 033 [ 2 0 1 ~`,
      count: 14,
    },
    { action: "paste", input: { text: "ab", bracketed: false }, bytes: "a b", count: 2 },
  ])("$action $input", async ({ action, input, bytes, count }) => {
    const sessionId = await start(show, { pty: true, env: { COUNT: String(count) } });
    await process({ action: "poll", sessionId, timeout: 60_000 });
    await process({ action, sessionId, ...input });
    expect((await finish(sessionId)).join(" ").replaceAll(/\s+/g, " ")).toContain(bytes);
  });
});

test.skipIf(!has("vim"))("shows the screen of vim", async () => {
  const { process, start, finish, root, workspace } = bench();
  const sessionId = await start("vim -u NONE -N -n notes.txt", { pty: true });
  const screen = async (): Promise<string> =>
    getResultText(await process({ action: "poll", sessionId, timeout: 60_000 }));
  await screen();
  await process({ action: "resize", sessionId, cols: 40, rows: 5 });
  await process({ action: "send-keys", sessionId, keys: ["i", "one", "enter", "two", "esc", "up", "x"] });
  let last = "";
  await until("it is drawn", async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    last = getResultText(await process({ action: "log", sessionId }));
    return last.startsWith("on\ntwo");
  });
  expect(last).toBe("on\ntwo\n~\n~");
  await process({ action: "send-keys", sessionId, keys: [":wq", "enter"] });
  expect((await finish(sessionId)).at(-1)).toContain("Process exited with code 0.");
  const { bytes } = await workspace.fs.read(`${root}/notes.txt`);
  expect(Buffer.from(bytes).toString()).toBe("on\ntwo\n");
});

test.skipIf(!has("python3"))("shows each answer of a Python REPL", async () => {
  const sessionId = await start("python3 -q", { pty: true, env: { PYTHON_BASIC_REPL: "1" } });
  const poll = pollOnceShown(process, sessionId);
  expect(await poll(">>>")).toBe(">>>\n\nProcess still running.");
  await process({ action: "submit", sessionId, data: "sum(range(10))" });
  expect(await poll("45\n>>>")).toBe(">>> sum(range(10))\n45\n>>>\n\nProcess still running.");
  await process({ action: "send-keys", sessionId, keys: ["C-d"] });
  expect((await finish(sessionId)).at(-1)).toContain("Process exited with code 0.");
});
