import type { HaftError } from "@haft/plugin-sdk";
import { afterAll, describe, expect, test } from "vitest";
import type { ProcessListDetails, ProcessPollDetails } from "../../src/process/process-details.ts";
import { bench, type CallOptions, failure, getResultText, until } from "../support/bench.ts";

const ONE = ["poll", "log", "write", "send-keys", "submit", "paste", "kill", "clear", "remove", "resize"];
const NONE = "No running or recent sessions.";

describe("selection of a command", () => {
  const { process, start } = bench({}, {}, afterAll);

  test.each(ONE)("%s requires a session", async (action) => {
    const message = "sessionId is required for this action.";
    expect(await failure(process({ action }))).toMatchObject({ code: "INVALID_ARGUMENTS", message });
  });

  test.each(ONE)("%s reports an unknown session at once", async (action) => {
    const error = await failure(process({ action, sessionId: "no-one", timeout: 30_000 }));
    expect(error).toMatchObject({ code: "PROCESS_NOT_FOUND", message: "No session found for no-one" });
  });

  test("every action reports commands of other sessions as unknown", async () => {
    const sessionId = await start("sleep 611");
    const message = `No session found for ${sessionId}`;
    for (const action of ONE) {
      const error = await failure(process({ action, sessionId }, { sessionKey: "other" }));
      expect([action, error]).toMatchObject([action, { code: "PROCESS_NOT_FOUND", message }]);
    }
    expect(getResultText(await process({ action: "list" }, { sessionKey: "other" }))).toBe(NONE);
  });

  test("an unknown action is rejected with the list of actions", async () => {
    const error = await failure(process({ action: "attach", sessionId: "x" }));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENTS", message: "Unknown action: attach" });
    expect(error.fix).toContain("list, poll, log");
  });

  test("only kill accepts a command that a call still waits for", async () => {
    const { exec, process: ask, workspace } = bench();
    const waiting = exec({ command: "sleep 612" });
    await until("it runs", async () => (await workspace.processes!.list()).length === 1);
    const [, , slug] = JSON.parse((await workspace.processes!.list())[0]!.callerId) as string[];
    const refused = (): Promise<HaftError> => failure(ask({ action: "poll", sessionId: slug }));
    await until("it is known", async () => (await refused()).code !== "PROCESS_NOT_FOUND");
    const message = `Session ${slug} is not backgrounded.`;
    expect(await refused()).toMatchObject({ code: "SESSION_BUSY", message });
    expect(getResultText(await ask({ action: "list" }))).toBe(NONE);
    await ask({ action: "kill", sessionId: slug });
    expect((await waiting).details).toMatchObject({ status: "failed", failureKind: "killed" });
  });
});

describe("list", () => {
  test("is empty without commands", async () => {
    expect(await bench().process({ action: "list" })).toEqual({
      content: [{ type: "text", text: NONE }],
      details: { status: "completed", sessions: [] },
      receipt: "none",
    });
  });

  test("shows running and ended commands, latest first", async () => {
    const { process, start, finish } = bench();
    const first = await start("echo hello;   exit 4");
    await finish(first);
    const second = await start("sleep 613", { title: "serve the site" });
    const result = await process({ action: "list" });
    // A busy machine may take seconds for it.
    expect(getResultText(result).replaceAll(/ [\dhms]+ ::/g, " 0ms ::")).toBe(
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
  const { finish, process, start } = bench({}, {}, afterAll);
  const poll = (sessionId: string, timeout?: number, options?: CallOptions) =>
    process({ action: "poll", sessionId, timeout }, options);
  const pollText = async (sessionId: string, timeout?: number) =>
    getResultText(await poll(sessionId, timeout));

  test("returns existing output at once, then new output", async () => {
    const sessionId = await start("echo one; read line; echo two; read line; exit 5");
    expect(await pollText(sessionId, 10_000)).toBe("one\n\nProcess still running.");
    await process({ action: "write", sessionId, data: "go\n" });
    expect(await pollText(sessionId, 10_000)).toBe("two\n\nProcess still running.");
    await process({ action: "write", sessionId, data: "go\n" });
    expect(await pollText(sessionId, 10_000)).toBe("(no new output)\n\nProcess exited with code 5.");
    expect(await pollText(sessionId, 10_000)).toBe("(no new output)\n\nProcess exited with code 5.");
  });

  test("waits for the end", async () => {
    const sessionId = await start("sleep 0.2");
    const result = await poll(sessionId, 30_000);
    expect(getResultText(result)).toBe("(no output recorded)\n\nProcess exited with code 0.");
    const details = { status: "completed", sessionId, exitCode: 0 };
    expect(result).toMatchObject({ receipt: "none", details });
  });

  test("suggests a longer pause after each empty poll", async () => {
    const sessionId = await start("read line; echo $line; sleep 614");
    const hint = async () => ((await poll(sessionId)).details as ProcessPollDetails).retryInMs;
    const hints = [];
    for (let count = 0; count < 5; count++) hints.push(await hint());
    expect(hints).toEqual([5_000, 10_000, 30_000, 60_000, 60_000]);
    expect(await pollText(sessionId)).toBe(
      "(no new output)\n\nProcess still running. Poll again in 60 s, or wait with timeout.",
    );
    await process({ action: "write", sessionId, data: "hi\n" });
    expect(await pollText(sessionId, 60_000)).toBe("hi\n\nProcess still running.");
    expect(await hint()).toBe(5_000);
  });

  test("returns output again after an aborted call", async () => {
    const sessionId = await start("echo one; sleep 615");
    const controller = new AbortController();
    const lost = await poll(sessionId, 60_000, { signal: controller.signal });
    expect(getResultText(lost)).toContain("one");
    controller.abort();
    expect(await pollText(sessionId)).toBe("one\n\nProcess still running.");
    expect(await pollText(sessionId)).toMatch(/^\(no new output\)/);
  });

  test("ends its wait after an abort", async () => {
    const sessionId = await start("sleep 616");
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    // As long as the whole test may take: it ends only because the waiting does.
    await poll(sessionId, 30_000, { signal: controller.signal });
    expect(await pollText(sessionId)).toContain("still running");
  });

  test("returns a burst at once", async () => {
    const sessionId = await start("sleep 0.1; for i in 1 2 3 4 5; do echo $i; done; sleep 617");
    const answers: string[] = [];
    while (!answers.join("").includes("5\n")) answers.push(await pollText(sessionId, 60_000));
    // On a busy machine a burst may last longer than it is waited for.
    expect(answers.length).toBeLessThan(5);
    expect(answers.join("").replaceAll("\nProcess still running.", "")).toBe("1\n2\n3\n4\n5\n");
  });

  test("keeps characters and sequences whole across results", async () => {
    const script = String.raw`printf 'a\342\202'; read x; printf '\254b\033[3'; read x; printf '1mc'; read x`;
    const sessionId = await start(script);
    const seen: string[] = [];
    for (let count = 0; count < 3; count++) {
      seen.push((await pollText(sessionId, 60_000)).replace("\n\nProcess still running.", ""));
      await process({ action: "write", sessionId, data: "\n" });
    }
    expect(seen).toEqual(["a", "€b", "c"]);
  });

  test("shows start and end of long output, and the exact number of dropped bytes", async () => {
    const { process: control, start: begin, workspace } = bench();
    const sessionId = await begin("yes 0123456 | head -c 80000000; echo last");
    await until("it has ended", async () => (await workspace.processes!.list())[0]!.state === "exited");
    const result = await control({ action: "poll", sessionId });
    const details = result.details as ProcessPollDetails;
    const { output } = (await workspace.processes!.list())[0]!;
    expect(details.droppedBytes).toBe(output.dropped);
    expect(output.dropped).toBeGreaterThan(10_000_000);
    const text = getResultText(result);
    expect(text.length).toBeLessThan(33 * 1024);
    expect(text).toMatch(/\[… 7\d MB left out, \d+ bytes of it lost …\]/);
    expect(text).toContain("0123456\nlast\n\n[All of it:");
    expect(text.endsWith("Process exited with code 0.")).toBe(true);
  });

  test("reports after a while that a command waits for input", async () => {
    const { process: control, start: begin } = bench({ inputWaitIdleMs: 1000 });
    const sessionId = await begin("printf 'Name? '; read name");
    const asking = await control({ action: "poll", sessionId, timeout: 60_000 });
    expect(asking.details).not.toHaveProperty("waitingForInput");
    const result = await control({ action: "poll", sessionId, timeout: 1_100 });
    expect(getResultText(result)).toBe(
      "(no new output)\n\nProcess still running. It may be waiting for input. Poll again in 5 s, or wait with timeout.",
    );
    expect(result.details).toMatchObject({ status: "running", waitingForInput: true });
    expect(getResultText(await control({ action: "list" }))).toContain("[input-wait]");
  });

  test("reports the end of a command whose children still write", async () => {
    const sessionId = await start("(for i in $(seq 1 1000); do echo x; sleep 0.01; done) & echo done");
    expect((await finish(sessionId)).join("\n")).toContain("done");
    await process({ action: "kill", sessionId });
  });
});
