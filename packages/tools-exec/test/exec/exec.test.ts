import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ExecRunningDetails } from "../../src/exec/exec-result.ts";
import { createExecTool } from "../../src/index.ts";
import { bench, failure, isAlive, getResultText, until } from "../support/bench.ts";

describe("rejected calls", () => {
  const { exec, root, workspace } = bench({}, {}, afterAll);
  writeFileSync(join(root, "file"), "");
  const refusal = (command: string, more: object, options = {}) =>
    failure(exec({ command, ...more }, options));

  // Nobody made a plan here, so no policy has answered what the call asks for.
  test.each([
    { elevated: true },
    { host: "sandbox" },
    { host: "node" },
    { node: "laptop" },
    { security: "deny" },
    { security: "allowlist" },
    { ask: "always" },
  ])("rejects %o and runs nothing", async (request) => {
    const error = await refusal("touch ran", request);
    expect(error).toMatchObject({ code: "EXEC_UNAVAILABLE", category: "policy", receipt: "none" });
    expect(error.fix).toBeTruthy();
    expect(await workspace.fs.stat("ran")).toBeUndefined();
  });

  test("accepts requests without an effect", async () => {
    const wishes = { host: "gateway", security: "full", ask: "on-miss", elevated: false, node: "" };
    expect(getResultText(await exec({ command: "echo hi", ...wishes }))).toBe("hi");
  });

  test.each(["", "   ", "\n"])("rejects an empty command (%j)", async (command) => {
    const message = "Provide a command to start.";
    expect(await refusal(command, {})).toMatchObject({ code: "INVALID_ARGUMENTS", message });
  });

  test.each([
    [{ workdir: "~/x" }, "INVALID_PROCESS"],
    [{ workdir: "  " }, "INVALID_PROCESS"],
    [{ workdir: "gone" }, "INVALID_PROCESS"],
    [{ workdir: "file" }, "INVALID_PROCESS"],
    [{ workdir: ".." }, "OUTSIDE_WORKSPACE"],
    [{ env: { LD_PRELOAD: "x" } }, "ENVIRONMENT_BLOCKED"],
  ])("rejects %j with %s before anything runs", async (params, code) => {
    expect(await refusal(`touch '${root}/ran'`, params)).toMatchObject({ code });
    expect(await workspace.fs.stat("ran")).toBeUndefined();
  });

  test("reports a workspace without processes", async () => {
    const context = { workspace: { ...workspace, processes: undefined }, sessionKey: "main" } as never;
    const { signal } = new AbortController();
    const call = createExecTool().execute("1", { command: "true" }, signal, undefined, context);
    expect(await failure(Promise.resolve(call))).toMatchObject({ code: "COMMANDS_UNAVAILABLE" });
  });

  test("runs nothing if aborted before the start", async () => {
    const error = await refusal("touch ran", {}, { signal: AbortSignal.abort() });
    expect(error).toMatchObject({ code: "ABORTED" });
    expect(await workspace.fs.stat("ran")).toBeUndefined();
  });
});

describe("commands in the foreground", () => {
  const { exec, process, root } = bench({}, {}, afterAll);
  writeFileSync(join(root, "file"), "", { mode: 0o600 });
  mkdirSync(join(root, "sub"));

  test("return output and exit code", async () => {
    const result = await exec({ command: "echo out; echo err >&2" });
    // Nobody promises an order between two pipes.
    const text = expect.stringMatching(/^(out\nerr|err\nout)$/) as string;
    const details = { status: "completed", exitCode: 0, cwd: root, aggregated: text };
    expect(result).toMatchObject({ content: [{ type: "text", text }], details });
    expect(result.receipt).toBeUndefined();
    expect((result.details as { durationMs: number }).durationMs).toBeGreaterThanOrEqual(0);
  });

  test("report missing output", async () => {
    expect(getResultText(await exec({ command: "true" }))).toBe("(no output)");
  });

  test("complete with any exit code", async () => {
    const result = await exec({ command: "echo no; exit 3" });
    expect(getResultText(result)).toBe("no\n\n(Command exited with code 3)");
    expect(result.details).toMatchObject({ status: "completed", exitCode: 3 });
  });

  test.each([
    ["no-such-program-here", "command-not-found", 127, "Command not found (exit code 127)."],
    [". /dev/null; ./file", "not-executable", 126, "Command cannot be executed (exit code 126)."],
  ])("fail for %s: %s", async (command, failureKind, exitCode, message) => {
    const result = await exec({ command });
    expect(getResultText(result)).toContain(message);
    const details = { status: "failed", failureKind, exitCode };
    expect(result).toMatchObject({ receipt: "unknown", details });
  });

  test("fail after a signal", async () => {
    const result = await exec({ command: "kill -SEGV $$" });
    expect(getResultText(result)).toBe(
      "(no output)\n\nCommand was ended by signal SIGSEGV. Side effects may have happened: look before you repeat it.",
    );
    const details = { status: "failed", failureKind: "signal", exitSignal: "SIGSEGV" };
    expect(result).toMatchObject({ receipt: "unknown", details });
  });

  test("end completely after a timeout, with an unknown receipt", async () => {
    const result = await exec({ command: "echo begun; sleep 601 & echo $!; wait", timeoutSeconds: 0.3 });
    const pid = Number(getResultText(result).split("\n")[1]);
    expect(getResultText(result)).toMatch(
      /Command timed out after 0\.3 s and was ended, with all processes (?:in its control group|that carry its mark)\. (?:Processes that removed its mark may still run\. )?Side effects/,
    );
    expect(result.details).toMatchObject({ status: "failed", timedOut: true, failureKind: "timeout" });
    await until("its child is gone", () => !isAlive(pid));
  });

  test("run in a relative workdir, which the result names", async () => {
    const result = await exec({ command: "pwd", workdir: "sub" });
    expect(getResultText(result)).toBe(`[workdir "sub": ran in ${root}/sub]\n\n${root}/sub`);
    expect(getResultText(await exec({ command: "pwd", workdir: join(root, "sub") }))).toBe(join(root, "sub"));
  });

  test("are rejected before anything runs if the folder was deleted", async () => {
    mkdirSync(join(root, "gone"));
    await exec({ command: "true", workdir: "gone" });
    rmSync(join(root, "gone"), { recursive: true });
    const error = await failure(exec({ command: "true", workdir: "gone" }));
    expect(error).toMatchObject({ code: "INVALID_PROCESS" });
  });

  test("receive variables unchanged", async () => {
    const result = await exec({ command: 'echo "$GREETING"', env: { GREETING: "a $HOME 'b'" } });
    expect(getResultText(result)).toBe("a $HOME 'b'");
  });

  test.each([200 * 1024, 1024 * 1024])("run with a length of %i characters", async (size) => {
    const command = `cat <<'END' | wc -c\n${"x".repeat(size)}\nEND\n`;
    expect(getResultText(await exec({ command })).trim()).toBe(String(size + 1));
  });

  test("show start and end of long output, with all of it in the log", async () => {
    const result = await exec({ command: "seq 1 40000" });
    const text = getResultText(result);
    expect(text.length).toBeLessThan(32 * 1024);
    expect(text.startsWith("1\n2\n3\n")).toBe(true);
    expect(text).toMatch(/\n\[… 19\d KB left out …\]\n/);
    const { sessionId } = result.details as { sessionId: string };
    expect(text).toContain(
      `40000\n\n[All of it: process {"action":"log","sessionId":"${sessionId}","offset":0}]`,
    );
    const page = await process({ action: "log", sessionId, offset: 20_000, limit: 2 });
    expect(getResultText(page)).toBe("20001\n20002");
    expect(page.details).toMatchObject({ totalLines: 40_000, totalChars: 228_894 });
  });

  test("are removed after their whole output was shown", async () => {
    const { exec: run, process: control, workspace } = bench();
    await run({ command: "echo hi" });
    expect(getResultText(await control({ action: "list" }))).toBe("No running or recent sessions.");
    await expect.poll(() => workspace.processes!.list(), { timeout: 60_000 }).toEqual([]);
  });

  test("end with all their processes after an abort", async () => {
    const aborted = bench();
    const controller = new AbortController();
    let tail = "";
    const onUpdate = (partial: { details: unknown }): void => {
      tail = (partial.details as ExecRunningDetails).tail;
      controller.abort();
    };
    const call = aborted.exec(
      { command: "sleep 602 & echo $!; wait" },
      { signal: controller.signal, onUpdate },
    );
    expect(await failure(call)).toMatchObject({ code: "ABORTED", receipt: "unknown" });
    expect(Number(tail)).toBeGreaterThan(0);
    expect(isAlive(Number(tail))).toBe(false);
    expect(getResultText(await aborted.process({ action: "list" }))).toBe("No running or recent sessions.");
  });

  test("are awaited even if they close their output", async () => {
    const result = await exec({ command: "echo before; exec >&- 2>&-; sleep 0.4; exit 4" });
    expect(getResultText(result)).toBe("before\n\n(Command exited with code 4)");
  });

  test("return without waiting for background processes", async () => {
    const text = getResultText(await exec({ command: "sleep 603 & echo $!" }));
    expect(text).toMatch(/^\d+$/);
    expect(isAlive(Number(text))).toBe(true);
  });
});

describe("commands in the background", () => {
  const { exec, finish, root, start } = bench({}, {}, afterAll);

  test("continue at once on request, with the facts for the next call", async () => {
    const result = await exec({ command: "sleep 604", background: true, title: "wait a bit" });
    const details = result.details as ExecRunningDetails;
    expect(details).toEqual({
      status: "running",
      sessionId: expect.stringMatching(/^[a-z]+-[a-z]+$/) as string,
      pid: expect.any(Number) as number,
      startedAt: expect.any(Number) as number,
      cwd: root,
      shell: "bash",
      tail: "",
    });
    expect(getResultText(result)).toBe(
      `Command still running (session ${details.sessionId}, pid ${details.pid}). ` +
        "Use process (list/poll/log/write/kill/clear/remove) for follow-up.",
    );
    expect(isAlive(details.pid)).toBe(true);
  });

  test("continue after yieldMs, without losing a byte", async () => {
    const command = "for i in $(seq 1 40); do echo line $i; sleep 0.02; done";
    const result = await exec({ command, yieldMs: 300 });
    const details = result.details as ExecRunningDetails;
    expect(details.status).toBe("running");
    expect(details.tail.startsWith("line 1\n")).toBe(true);
    expect(getResultText(result)).toContain(`\n\nOutput so far:\n${details.tail}`);
    const texts = await finish(details.sessionId);
    const lines = [details.tail, ...texts].join("\n").match(/line \d+/g);
    expect(lines).toEqual(Array.from({ length: 40 }, (_, index) => `line ${index + 1}`));
    expect(texts.at(-1)).toContain("Process exited with code 0.");
  });

  test("are polled from the first byte that was not shown", async () => {
    const result = await exec({ command: "seq 1 3000; sleep 0.5; echo end", yieldMs: 200 });
    const details = result.details as ExecRunningDetails;
    expect(details.tail).toMatch(/^\d+\n/);
    expect(details.tail.endsWith("2999\n3000")).toBe(true);
    expect(details.tail.length).toBeLessThanOrEqual(2_000);
    const lines = (await finish(details.sessionId)).join("\n").match(/^\d+$/gm);
    expect(lines).toEqual(Array.from({ length: 3_000 }, (_, index) => `${index + 1}`));
  });

  test("are awaited for at least 10 ms and at most two minutes", async () => {
    expect((await exec({ command: "sleep 605", yieldMs: 0 })).details.status).toBe("running");
    expect((await exec({ command: "sleep 0.1", yieldMs: 1e9 })).details.status).toBe("completed");
  });

  test("keep their timeout", async () => {
    const texts = await finish(await start("echo begun; sleep 606", { timeoutSeconds: 0.3 }));
    expect(texts.at(-1)).toMatch(
      /Process exited with signal SIG\w+\. Its timeout expired: side effects may be incomplete\.$/,
    );
  });

  test("are not affected by an abort after the result", async () => {
    const controller = new AbortController();
    const { details } = await exec({ command: "sleep 607", background: true }, { signal: controller.signal });
    controller.abort();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAlive((details as ExecRunningDetails).pid)).toBe(true);
  });

  test("are awaited to the end if there is no process tool", async () => {
    const { exec: run, workspace } = bench({ allowBackground: false });
    const result = await run({ command: "sleep 0.2; echo done", background: true, yieldMs: 10 });
    expect(getResultText(result)).toBe("done");
    const long = await run({ command: "seq 1 40000" });
    expect(getResultText(long)).toMatch(/left out …\]/);
    expect(getResultText(long)).not.toContain("process");
    expect(long.details).not.toHaveProperty("sessionId");
    await expect.poll(() => workspace.processes!.list(), { timeout: 60_000 }).toEqual([]);
  });
});
