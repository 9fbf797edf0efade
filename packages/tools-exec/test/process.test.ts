import { describe, expect, test } from "vitest";
import type { ProcessListDetails, ProcessPollDetails } from "../src/index.ts";
import { bench, failure, isAlive, textOf, until } from "./support/bench.ts";

const ACTIONS_ON_ONE = ["poll", "log", "write", "send-keys", "submit", "paste", "kill", "clear", "remove", "resize"];

describe("which command", () => {
  test.each(ACTIONS_ON_ONE)("%s needs a session", async (action) => {
    const { process } = bench();
    expect(await failure(process({ action }))).toMatchObject({
      code: "SESSION_ID_REQUIRED",
      message: "sessionId is required for this action.",
    });
  });

  test.each(ACTIONS_ON_ONE)("%s of one that is not there answers at once", async (action) => {
    const { process } = bench();
    const error = await failure(process({ action, sessionId: "no-one", timeout: 30_000 }));
    expect(error).toMatchObject({ code: "SESSION_NOT_FOUND", message: "No session found for no-one" });
  });

  test.each(ACTIONS_ON_ONE)("%s: another session's command looks like none", async (action) => {
    const { process, start } = bench();
    const sessionId = await start("sleep 611");
    const error = await failure(process({ action, sessionId }, { sessionKey: "other" }));
    expect(error).toMatchObject({ code: "SESSION_NOT_FOUND", message: `No session found for ${sessionId}` });
    expect(textOf(await process({ action: "list" }, { sessionKey: "other" }))).toBe("No running or recent sessions.");
  });

  test("an unknown action names those there are", async () => {
    const { process } = bench();
    const error = await failure(process({ action: "attach", sessionId: "x" }));
    expect(error).toMatchObject({ code: "UNKNOWN_ACTION", message: "Unknown action: attach" });
    expect(error.fix).toContain("list, poll, log");
  });

  test("one that a call still waits for can only be killed", async () => {
    const { exec, process, workspace } = bench();
    const waiting = exec({ command: "sleep 612" });
    await until("it runs", async () => (await workspace.processes!.list()).length === 1);
    const [, , slug] = JSON.parse((await workspace.processes!.list())[0]!.callerId) as string[];
    expect(await failure(process({ action: "poll", sessionId: slug }))).toMatchObject({
      code: "SESSION_NOT_BACKGROUNDED",
      message: `Session ${slug} is not backgrounded.`,
    });
    expect(textOf(await process({ action: "list" }))).toBe("No running or recent sessions.");
    await process({ action: "kill", sessionId: slug });
    expect((await waiting).details).toMatchObject({ status: "failed", failureKind: "killed" });
  });
});

describe("list", () => {
  test("nothing", async () => {
    const { process } = bench();
    const result = await process({ action: "list" });
    expect(result).toEqual({
      content: [{ type: "text", text: "No running or recent sessions." }],
      details: { status: "completed", sessions: [] },
      receipt: "none",
    });
  });

  test("running and ended ones, latest first", async () => {
    const { process, start, finish } = bench();
    const first = await start("echo hello;   exit 4");
    await finish(first);
    const second = await start("sleep 613", { title: "serve the site" });
    const result = await process({ action: "list" });
    expect(textOf(result).replaceAll(/\d+ms/g, "0ms")).toBe(
      `${second} running   0ms :: serve the site\n${first} completed 0ms :: echo hello; exit 4`,
    );
    const { sessions } = result.details as ProcessListDetails;
    expect(sessions).toMatchObject([
      { sessionId: second, status: "running", command: "sleep 613", name: "serve the site", outputBytes: 0 },
      { sessionId: first, status: "completed", exitCode: 4, outputBytes: 6, truncated: false },
    ]);
  });
});

describe("poll", () => {
  test("answers at once with what is there, then with what is new", async () => {
    const { process, start } = bench();
    const sessionId = await start("echo one; read line; echo two; read line; exit 5");
    const poll = (timeout = 10_000): Promise<string> => process({ action: "poll", sessionId, timeout }).then(textOf);
    expect(await poll()).toBe("one\n\nProcess still running.");
    await process({ action: "write", sessionId, data: "go\n" });
    expect(await poll()).toBe("two\n\nProcess still running.");
    await process({ action: "write", sessionId, data: "go\n" });
    expect(await poll()).toBe("(no new output)\n\nProcess exited with code 5.");
    expect(await poll()).toBe("(no new output)\n\nProcess exited with code 5.");
  });

  test("waits for the end", async () => {
    const { process, start } = bench();
    const sessionId = await start("sleep 0.2");
    const result = await process({ action: "poll", sessionId, timeout: 30_000 });
    expect(textOf(result)).toBe("(no output recorded)\n\nProcess exited with code 0.");
    expect(result).toMatchObject({ receipt: "none", details: { status: "completed", sessionId, exitCode: 0 } });
  });

  test("says when to ask again, later each time, until there is something new", async () => {
    const { process, start } = bench();
    const sessionId = await start("read line; echo $line; sleep 614");
    const hints = [];
    const poll = async (): Promise<ProcessPollDetails> =>
      (await process({ action: "poll", sessionId })).details as ProcessPollDetails;
    for (let count = 0; count < 5; count++) hints.push((await poll()).retryInMs);
    expect(hints).toEqual([5_000, 10_000, 30_000, 60_000, 60_000]);
    expect(textOf(await process({ action: "poll", sessionId }))).toBe(
      "(no new output)\n\nProcess still running. Ask again in 60 s, or wait with timeout.",
    );
    await process({ action: "write", sessionId, data: "hi\n" });
    expect(textOf(await process({ action: "poll", sessionId, timeout: 5_000 }))).toBe("hi\n\nProcess still running.");
    expect((await poll()).retryInMs).toBe(5_000);
  });

  test("tells again what an aborted call did not bring", async () => {
    const { process, start } = bench();
    const sessionId = await start("echo one; sleep 615");
    const controller = new AbortController();
    const lost = await process({ action: "poll", sessionId, timeout: 5_000 }, { signal: controller.signal });
    expect(textOf(lost)).toContain("one");
    controller.abort();
    expect(textOf(await process({ action: "poll", sessionId }))).toBe("one\n\nProcess still running.");
    expect(textOf(await process({ action: "poll", sessionId }))).toMatch(/^\(no new output\)/);
  });

  test("an abort ends the waiting", async () => {
    const { process, start } = bench();
    const sessionId = await start("sleep 616");
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const started = performance.now();
    await process({ action: "poll", sessionId, timeout: 30_000 }, { signal: controller.signal });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("a burst is one answer", async () => {
    const { process, start } = bench();
    const sessionId = await start("sleep 0.1; for i in 1 2 3 4 5; do echo $i; sleep 0.005; done; sleep 617");
    expect(textOf(await process({ action: "poll", sessionId, timeout: 5_000 }))).toBe(
      "1\n2\n3\n4\n5\n\nProcess still running.",
    );
  });

  test("characters and sequences cut by an answer are whole in the next", async () => {
    const { process, start } = bench();
    const script = String.raw`printf 'a\342\202'; read x; printf '\254b\033[3'; read x; printf '1mc'; read x`;
    const sessionId = await start(script);
    const seen: string[] = [];
    for (let count = 0; count < 3; count++) {
      const text = textOf(await process({ action: "poll", sessionId, timeout: 5_000 }));
      seen.push(text.replace("\n\nProcess still running.", ""));
      await process({ action: "write", sessionId, data: "\n" });
    }
    expect(seen).toEqual(["a", "€b", "c"]);
  });

  test("more than fits: the start, the end, and exactly what was dropped", async () => {
    const { process, start, workspace } = bench();
    const sessionId = await start("yes 0123456 | head -c 80000000; echo last");
    await until("it has ended", async () => (await workspace.processes!.list())[0]!.state === "exited");
    const result = await process({ action: "poll", sessionId });
    const details = result.details as ProcessPollDetails;
    const { output } = (await workspace.processes!.list())[0]!;
    expect(details.droppedBytes).toBe(output.dropped);
    expect(output.dropped).toBeGreaterThan(10_000_000);
    const text = textOf(result);
    expect(text.length).toBeLessThan(33 * 1024);
    expect(text).toMatch(/\[… 7\d MB left out, \d+ bytes of it dropped for good …\]/);
    expect(text).toContain("0123456\nlast\n\n[All of it:");
    expect(text.endsWith("Process exited with code 0.")).toBe(true);
  });

  test("what waits for input is pointed out after a while", async () => {
    const { process, start } = bench({ inputWaitIdleMs: 1000 });
    const sessionId = await start("printf 'Name? '; read name");
    expect((await process({ action: "poll", sessionId, timeout: 5_000 })).details).not.toHaveProperty("waitingForInput");
    const result = await process({ action: "poll", sessionId, timeout: 1_100 });
    expect(textOf(result)).toBe(
      "(no new output)\n\nProcess still running. It may be waiting for input. Ask again in 5 s, or wait with timeout.",
    );
    expect(result.details).toMatchObject({ status: "running", waitingForInput: true });
    expect(textOf(await process({ action: "list" }))).toContain("[input-wait]");
  });

  test("one that ends while its children go on writing", async () => {
    const { process, start, finish } = bench();
    const sessionId = await start("(for i in $(seq 1 1000); do echo x; sleep 0.01; done) & echo done");
    expect((await finish(sessionId)).join("\n")).toContain("done");
    await process({ action: "kill", sessionId });
  });
});

describe("log", () => {
  test("pages over everything, by line", async () => {
    const { process, start, finish } = bench();
    const sessionId = await start("seq 1 5000");
    await finish(sessionId);
    const log = (more: object): Promise<string> => process({ action: "log", sessionId, ...more }).then(textOf);
    const tail = await log({});
    expect(tail.startsWith("4801\n")).toBe(true);
    expect(tail.endsWith("5000\n\n[last 200 of 5000 lines; offset and limit show others]")).toBe(true);
    expect(await log({ offset: 0, limit: 3 })).toBe("1\n2\n3");
    expect(await log({ limit: 2 })).toBe("4999\n5000");
    expect(await log({ offset: 4_998 })).toBe("4999\n5000");
    expect(await log({ offset: 5_000 })).toBe("(no line 5000: there are 5000)");
    expect((await process({ action: "log", sessionId, offset: 7, limit: 1 })).details).toMatchObject({
      status: "completed",
      total: 5_000,
      totalLines: 5_000,
      totalChars: 23_893,
      offset: 7,
      lines: 1,
    });
  });

  test("a page that would be too long says how to go on", async () => {
    const { process, start, finish } = bench();
    const sessionId = await start("seq 1 20000");
    await finish(sessionId);
    const text = textOf(await process({ action: "log", sessionId, offset: 0 }));
    expect(text.length).toBeLessThan(32 * 1024);
    const next = Number(/go on with offset=(\d+)\]$/.exec(text)![1]);
    expect(textOf(await process({ action: "log", sessionId, offset: next, limit: 1 }))).toBe(String(next + 1));
  });

  test("nothing yet, and a line that has not ended", async () => {
    const { process, start } = bench();
    const sessionId = await start("read x; printf abc; read x");
    expect(textOf(await process({ action: "log", sessionId }))).toBe("(no output yet)");
    await process({ action: "write", sessionId, data: "\n" });
    await process({ action: "poll", sessionId, timeout: 5_000 });
    expect(textOf(await process({ action: "log", sessionId }))).toBe("abc");
  });

  test("a line of 50 MB, zeros and invalid bytes", async () => {
    const { process, start, finish } = bench();
    const sessionId = await start(String.raw`printf 'a\000b\377c\n'; head -c 50000000 /dev/zero | tr '\0' x; echo; echo end`);
    await finish(sessionId);
    const result = await process({ action: "log", sessionId, offset: 0 });
    expect(textOf(result)).toMatch(/^ab\uFFFDc\nx{8192}… \[49991808 more bytes in this line\]\nend$/);
    expect(result.details).toMatchObject({ totalLines: 3 });
  });

  test("grows with the output", async () => {
    const { process, start } = bench();
    const sessionId = await start("while read n; do seq 1 $n; done");
    for (const [count, total] of [[1000, 1000], [24, 1024], [1, 1025]] as const) {
      await process({ action: "write", sessionId, data: `${count}\n` });
      await until("the lines are there", async () => {
        const { details } = await process({ action: "log", sessionId });
        return (details as { totalLines: number }).totalLines === total;
      });
      expect(textOf(await process({ action: "log", sessionId, limit: 1 }))).toBe(String(count));
    }
  });
});

describe("input on a pipe", () => {
  test("a command without input says why and what to do", async () => {
    const { exec, process } = bench();
    const { details } = await exec({ command: "cat; sleep 618", yieldMs: 50 });
    const { sessionId } = details as { sessionId: string };
    for (const action of ["write", "submit", "paste", "send-keys"]) {
      const call = process({ action, sessionId, data: "x", text: "x", literal: "x" });
      expect(await failure(call)).toMatchObject({
        code: "STDIN_CLOSED",
        message: `Session ${sessionId} takes no input: its standard input is closed.`,
        fix: "To talk to a command, start it with background: true or with pty: true.",
      });
    }
  });

  test.each([
    ["write", "data, or eof to close standard input"],
    ["send-keys", "keys, hex or literal"],
    ["paste", "text"],
    ["resize", "cols and rows"],
  ])("%s without anything to send asks for %s", async (action, needed) => {
    const { process, start } = bench();
    const sessionId = await start("cat");
    expect(await failure(process({ action, sessionId }))).toMatchObject({
      code: "INPUT_MISSING",
      fix: `Set ${needed}.`,
    });
  });

  test("write, and the end of input", async () => {
    const { process, start, finish } = bench();
    const sessionId = await start("cat; echo over");
    const first = await process({ action: "write", sessionId, data: "grüße\n" });
    expect(textOf(first)).toBe("Wrote 8 bytes to stdin.");
    expect(first.details).toMatchObject({ status: "running", sessionId, bytes: 8 });
    expect(textOf(await process({ action: "write", sessionId, data: "x\n", eof: true }))).toBe(
      "Wrote 2 bytes to stdin. Submitted EOF to stdin.",
    );
    expect((await finish(sessionId)).join("")).toContain("grüße\nx\nover");
  });

  test("submit ends the input, after optional text", async () => {
    const { process, start, finish } = bench();
    const plain = await start("cat; echo over");
    expect(textOf(await process({ action: "submit", sessionId: plain }))).toBe("Submitted EOF to stdin.");
    expect((await finish(plain)).join("")).toContain("over");
    const withData = await start("cat; echo over");
    expect(textOf(await process({ action: "submit", sessionId: withData, data: "last" }))).toBe(
      "Wrote 4 bytes to stdin. Submitted EOF to stdin.",
    );
    expect((await finish(withData)).join("")).toContain("lastover");
  });

  test("keys, bytes and text, in that order; what is none is warned of", async () => {
    const { process, start, finish } = bench();
    const sessionId = await start("od -An -c");
    const result = await process({
      action: "send-keys",
      sessionId,
      literal: "lit",
      hex: ["0a ff", "zz"],
      keys: ["C-c", "hello", "C-hello", "enter"],
    });
    expect(textOf(result)).toBe(
      "Sent 19 bytes of keys to session " +
        `${sessionId}.\nWarning: "zz" is no hexadecimal byte and was left out.\n` +
        'Warning: "C-hello" is no known key, so it was sent as text.',
    );
    await process({ action: "submit", sessionId });
    const output = (await finish(sessionId)).join("").replaceAll(/\s+/g, " ");
    expect(output).toContain(String.raw`l i t \n 377 003 h e l l o C - h e l l o \r`);
  });

  test("a command that has closed its input", async () => {
    const { process, start } = bench();
    const sessionId = await start("exec <&-; echo ready; sleep 619");
    await process({ action: "poll", sessionId, timeout: 5_000 });
    expect(await failure(process({ action: "write", sessionId, data: "x" }))).toMatchObject({ code: "STDIN_CLOSED" });
    const ended = await start("true");
    await process({ action: "poll", sessionId: ended, timeout: 5_000 });
    expect(await failure(process({ action: "write", sessionId: ended, data: "x" }))).toMatchObject({
      code: "STDIN_CLOSED",
      message: `Session ${ended} takes no input: it has ended.`,
    });
  });
});

describe("the end", () => {
  test("kill takes everything, and is told once", async () => {
    const { process, start } = bench();
    const sessionId = await start("sleep 620 & echo $!; wait");
    const child = Number.parseInt(textOf(await process({ action: "poll", sessionId, timeout: 5_000 })), 10);
    const result = await process({ action: "kill", sessionId });
    expect(textOf(result)).toBe(`Killed session ${sessionId}.`);
    expect(result.details).toMatchObject({ status: "killed", sessionId });
    expect(isAlive(child)).toBe(false);
    expect(textOf(await process({ action: "poll", sessionId }))).toMatch(/^\(no new output\)\n\nProcess exited with signal SIG/);
  });

  test("kill of one that ignores TERM", async () => {
    const { exec, process } = bench();
    const { details } = await exec({ command: "trap '' TERM; echo up; while :; do sleep 0.05; done", background: true });
    const { sessionId, pid } = details as { sessionId: string; pid: number };
    await process({ action: "poll", sessionId, timeout: 5_000 });
    expect(textOf(await process({ action: "kill", sessionId }))).toBe(`Killed session ${sessionId}.`);
    expect(isAlive(pid)).toBe(false);
  });

  test("kill of one that has ended takes what it left running", async () => {
    const { process, start, finish } = bench();
    const sessionId = await start("sleep 621 & echo $!");
    const child = Number.parseInt((await finish(sessionId))[0]!, 10);
    expect(isAlive(child)).toBe(true);
    expect(textOf(await process({ action: "kill", sessionId }))).toBe(
      `Session ${sessionId} had ended already; what it had left running was killed.`,
    );
    expect(isAlive(child)).toBe(false);
  });

  test("clear forgets ended ones only", async () => {
    const { process, start, finish, workspace } = bench();
    const sessionId = await start("read x");
    expect(await failure(process({ action: "clear", sessionId }))).toMatchObject({
      code: "SESSION_RUNNING",
      message: `Session ${sessionId} is still running.`,
    });
    await process({ action: "submit", sessionId });
    await finish(sessionId);
    expect(textOf(await process({ action: "clear", sessionId }))).toBe(`Cleared session ${sessionId}.`);
    expect(await failure(process({ action: "poll", sessionId }))).toMatchObject({ code: "SESSION_NOT_FOUND" });
    expect(await workspace.processes!.list()).toEqual([]);
  });

  test("remove ends and forgets", async () => {
    const { exec, process, workspace } = bench();
    const { details } = await exec({ command: "sleep 622", background: true });
    const { sessionId, pid } = details as { sessionId: string; pid: number };
    expect(textOf(await process({ action: "remove", sessionId }))).toBe(`Removed session ${sessionId}.`);
    expect(isAlive(pid)).toBe(false);
    expect(await workspace.processes!.list()).toEqual([]);
  });
});
