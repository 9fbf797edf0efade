import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { bench, failure, isAlive, getResultText, until } from "../support/bench.ts";

const { bash, process } = bench({}, {}, afterAll);

test("reports a failed script as an error with output and exit code", async () => {
  const { bash, root } = bench();
  const error = await failure(bash({ script: "echo before\nfalse\nexit 9\n" }));
  expect(error).toMatchObject({
    code: "SCRIPT_FAILED",
    category: "operational",
    receipt: "unknown",
    message: "before\n\nCommand exited with code 9",
    details: { status: "completed", exitCode: 9, cwd: root },
  });
});

test("reports a missing program", async () => {
  const error = await failure(bash({ script: "no-such-program-here" }));
  expect(error.message).toContain("Command not found (exit code 127).");
  expect(error.details).toMatchObject({ failureKind: "command-not-found" });
});

test("ends a script after its timeout", async () => {
  const error = await failure(bash({ script: "echo begun\nsleep 641 &\necho $!\nwait", timeout: 0.3 }));
  expect(error).toMatchObject({ code: "SCRIPT_TIMED_OUT", details: { timedOut: true, status: "failed" } });
  expect(error.message).toContain("begun\n");
  expect(error.message).toContain("Command timed out after 0.3 s");
  const child = Number(error.message.split("\n")[1]);
  await until("its child is gone", () => !isAlive(child));
});

test("ends the script of an aborted call", async () => {
  const call = bash({ script: "sleep 642" }, { signal: AbortSignal.timeout(100) });
  expect(await failure(call)).toMatchObject({ code: "ABORTED", receipt: "unknown" });
});

test("rejects a workdir outside the workspace, and a missing workdir", async () => {
  expect(await failure(bash({ script: "true", workdir: "~" }))).toMatchObject({ code: "INVALID_PROCESS" });
  expect(await failure(bash({ script: "true", workdir: "../.." }))).toMatchObject({
    code: "OUTSIDE_WORKSPACE",
  });
});

test("runs several lines in bash, without a login shell", async () => {
  const { bash, root } = bench();
  const result = await bash({
    script:
      'set -euo pipefail\nlist=(a b c)\nfor one in "${list[@]}"; do\n  echo "$one"\ndone\nshopt -q login_shell || echo no login\n',
  });
  expect(getResultText(result)).toBe("a\nb\nc\nno login");
  expect(result.details).toMatchObject({ status: "completed", exitCode: 0, cwd: root });
  expect(getResultText(await bash({ script: ":" }))).toBe("(no output)");
});

test("runs a whole script of 1 MB", async () => {
  const script = `${"# a comment that is rather long\n".repeat(34_000)}echo reached\n`;
  expect(getResultText(await bash({ script }))).toBe("reached");
});

test("shows the last 2,000 lines, and names the source of the rest", async () => {
  const result = await bash({ script: "seq 1 3000" });
  const { sessionId } = result.details as { sessionId: string };
  const text = getResultText(result);
  expect(text).toMatch(/^\[… 3.8 KB before this left out …\]\n1001\n1002\n/);
  expect(text).toContain(
    `2999\n3000\n\n[All of it: process {"action":"log","sessionId":"${sessionId}","offset":0}]`,
  );
  expect(getResultText(await process({ action: "log", sessionId, offset: 0, limit: 2 }))).toBe("1\n2");
  expect(getResultText(await bash({ script: "seq 1 2000" }))).toMatch(/^1\n2\n/);
});

test("shows the last 50 KB, and names the file with the whole output", async () => {
  const result = await bash({ script: "for i in $(seq 1 1500); do printf '%0100d\\n' $i; done" });
  const text = getResultText(result);
  expect(text.split("\n").filter((line) => /^\d{100}$/.test(line))).toHaveLength(506);
  const { fullOutputPath } = result.details as { fullOutputPath: string };
  expect(readFileSync(fullOutputPath, "utf8")).toHaveLength(1500 * 101);
});

test("truncates one line longer than the limit", async () => {
  const result = await bash({ script: "head -c 100000 /dev/zero | tr '\\0' x; echo end" });
  expect(getResultText(result)).toMatch(/^\[… 48 KB before this left out …\]\nx{51197}end\n/);
});
