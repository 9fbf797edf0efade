import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bench, failure, getResultText } from "../support/bench.ts";

const missing = { status: "failed", failureKind: "command-not-found", exitCode: 127 };
const PLAIN = "(Command exited with code 127)";

describe("exit code 127 in bash", () => {
  const { exec } = bench({ shell: "bash" }, {}, afterAll);

  test.each([
    "no-such-program-here",
    "echo before; ./gone/run.sh",
    "exec no-such-program-here",
    "true\n\n(no-such-program-here)",
    "echo x | no-such-program-here",
    "seq 20000 >&2; no-such-program-here",
  ])("means a missing program: %j", async (command) => {
    const result = await exec({ command });
    expect(result.details).toMatchObject(missing);
    expect(getResultText(result)).toContain("Command not found (exit code 127).");
    expect(result.receipt).toBe("unknown");
  });

  test("means a missing program on a terminal, which has one stream", async () => {
    const result = await exec({ command: "no-such-program-here", pty: true, yieldMs: 60_000 });
    expect(result.details).toMatchObject(missing);
  });

  test.each([
    "echo ${GONE:?is not set}",
    "echo ${GONE:?}",
    'echo "${GONE:?command not found}"',
    "set -u; echo $GONE",
    "exit 127",
    "no-such-program-here; echo 'something else' >&2; exit 127",
    "sh -c 'exit 127'",
    "echo 'bash: line 1: frob: command not found' >&2; exit 127",
    "LC_ALL=C; printf '#!/no/such/interpreter\\n' > run; chmod +x run; ./run",
  ])("has another or uncertain reason: %j", async (command) => {
    const result = await exec({ command });
    expect(result.details).toMatchObject({ status: "completed", exitCode: 127 });
    expect(result.details).not.toHaveProperty("failureKind");
    expect(getResultText(result)).toContain(PLAIN);
    expect(getResultText(result)).not.toContain("Command not found");
  });

  test("is the same in polls, lists, logs and notices", async () => {
    const notices: object[] = [];
    const { start, process, finish } = bench({ shell: "bash", onExit: (notice) => notices.push(notice) });
    for (const [command, expected] of [
      ["sleep 0.3; no-such-program-here", missing],
      ["sleep 0.3; exit 127", { status: "completed", exitCode: 127 }],
    ] as const) {
      const sessionId = await start(command);
      await expect.poll(() => notices.pop(), { timeout: 60_000 }).toMatchObject({ sessionId, ...expected });
      const { sessions } = (await process({ action: "list" })).details as { sessions: object[] };
      expect(sessions[0]).toMatchObject({ sessionId, ...expected });
      expect((await process({ action: "log", sessionId })).details).toMatchObject(expected);
      await finish(sessionId);
      expect((await process({ action: "poll", sessionId })).details).toMatchObject(expected);
    }
  });

  test("is the same in the tool bash", async () => {
    const { bash, root } = bench();
    writeFileSync(join(root, "x"), "");
    expect(await failure(bash({ script: "echo ${GONE:?is not set}" }))).toMatchObject({
      message: expect.stringMatching(/Command exited with code 127$/) as string,
      details: { status: "completed", exitCode: 127 },
    });
    expect(await failure(bash({ script: "no-such-program-here" }))).toMatchObject({ details: missing });
  });
});

test("always means a missing program in sh", async () => {
  const { exec } = bench({ shell: "sh" });
  expect((await exec({ command: "no-such-program-here" })).details).toMatchObject(missing);
  expect((await exec({ command: "exit 127" })).details).toMatchObject(missing);
  expect((await exec({ command: "echo ${GONE:?is not set}" })).details).toMatchObject({ exitCode: 2 });
});
