import type { HaftError } from "@haft/plugin-sdk";
import { describe, expect, test } from "vitest";
import type { ProcessListDetails, ProcessPollDetails } from "../../src/index.ts";
import { bench, failure, textOf, until } from "../support/bench.ts";

const ACTIONS_ON_ONE = [
  "poll",
  "log",
  "write",
  "send-keys",
  "submit",
  "paste",
  "kill",
  "clear",
  "remove",
  "resize",
];

describe("which command", () => {
  test.each(ACTIONS_ON_ONE)("%s needs a session", async (action) => {
    const { process } = bench();
    expect(await failure(process({ action }))).toMatchObject({
      code: "INVALID_ARGUMENTS",
      message: "sessionId is required for this action.",
    });
  });

  test.each(ACTIONS_ON_ONE)("%s of one that is not there answers at once", async (action) => {
    const { process } = bench();
    const error = await failure(process({ action, sessionId: "no-one", timeout: 30_000 }));
    expect(error).toMatchObject({ code: "PROCESS_NOT_FOUND", message: "No session found for no-one" });
  });

  test.each(ACTIONS_ON_ONE)("%s: another session's command looks like none", async (action) => {
    const { process, start } = bench();
    const sessionId = await start("sleep 611");
    const error = await failure(process({ action, sessionId }, { sessionKey: "other" }));
    expect(error).toMatchObject({ code: "PROCESS_NOT_FOUND", message: `No session found for ${sessionId}` });
    expect(textOf(await process({ action: "list" }, { sessionKey: "other" }))).toBe(
      "No running or recent sessions.",
    );
  });

  test("an unknown action names those there are", async () => {
    const { process } = bench();
    const error = await failure(process({ action: "attach", sessionId: "x" }));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENTS", message: "Unknown action: attach" });
    expect(error.fix).toContain("list, poll, log");
  });

  test("one that a call still waits for can only be killed", async () => {
    const { exec, process, workspace } = bench();
    const waiting = exec({ command: "sleep 612" });
    await until("it runs", async () => (await workspace.processes!.list()).length === 1);
    const [, , slug] = JSON.parse((await workspace.processes!.list())[0]!.callerId) as string[];
    const refused = (): Promise<HaftError> => failure(process({ action: "poll", sessionId: slug }));
    await until("it is known", async () => (await refused()).code !== "PROCESS_NOT_FOUND");
    expect(await refused()).toMatchObject({
      code: "SESSION_BUSY",
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
    // A busy machine may take seconds for it.
    expect(textOf(result).replaceAll(/ [\dhms]+ ::/g, " 0ms ::")).toBe(
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
    const poll = (timeout = 10_000): Promise<string> =>
      process({ action: "poll", sessionId, timeout }).then(textOf);
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
    expect(result).toMatchObject({
      receipt: "none",
      details: { status: "completed", sessionId, exitCode: 0 },
    });
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
    expect(textOf(await process({ action: "poll", sessionId, timeout: 60_000 }))).toBe(
      "hi\n\nProcess still running.",
    );
    expect((await poll()).retryInMs).toBe(5_000);
  });

  test("tells again what an aborted call did not bring", async () => {
    const { process, start } = bench();
    const sessionId = await start("echo one; sleep 615");
    const controller = new AbortController();
    const lost = await process({ action: "poll", sessionId, timeout: 60_000 }, { signal: controller.signal });
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
    // As long as the whole test may take: it ends only because the waiting does.
    await process({ action: "poll", sessionId, timeout: 30_000 }, { signal: controller.signal });
    expect(textOf(await process({ action: "poll", sessionId }))).toContain("still running");
  });

  test("a burst is one answer", async () => {
    const { process, start } = bench();
    const sessionId = await start("sleep 0.1; for i in 1 2 3 4 5; do echo $i; done; sleep 617");
    const answers: string[] = [];
    while (!answers.join("").includes("5\n"))
      answers.push(textOf(await process({ action: "poll", sessionId, timeout: 60_000 })));
    // On a busy machine a burst may last longer than it is waited for.
    expect(answers.length).toBeLessThan(5);
    expect(answers.join("").replaceAll("\nProcess still running.", "")).toBe("1\n2\n3\n4\n5\n");
  });

  test("characters and sequences cut by an answer are whole in the next", async () => {
    const { process, start } = bench();
    const script = String.raw`printf 'a\342\202'; read x; printf '\254b\033[3'; read x; printf '1mc'; read x`;
    const sessionId = await start(script);
    const seen: string[] = [];
    for (let count = 0; count < 3; count++) {
      const text = textOf(await process({ action: "poll", sessionId, timeout: 60_000 }));
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
    expect((await process({ action: "poll", sessionId, timeout: 60_000 })).details).not.toHaveProperty(
      "waitingForInput",
    );
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
