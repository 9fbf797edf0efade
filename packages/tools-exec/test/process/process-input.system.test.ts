import { afterAll, describe, expect, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { bench, failure, getResultText } from "../support/bench.ts";

const { exec, finish, process, start } = bench({}, {}, afterAll);

describe("input on a pipe", () => {
  test("a command without input reports the reason and a fix", async () => {
    const { details } = await exec({ command: "cat; sleep 618", yieldMs: 50 });
    const { sessionId } = details as { sessionId: string };
    for (const action of ["write", "submit", "paste", "send-keys"]) {
      const call = process({ action, sessionId, data: "x", text: "x", literal: "x" });
      expect(await failure(call)).toMatchObject({
        code: "STDIN_CLOSED",
        message: `Session ${sessionId} accepts no input: its standard input is closed.`,
        fix: "To send input to a command, start it with background: true or pty: true.",
      });
    }
  });

  test.each([
    ["write", "data, or eof to close standard input"],
    ["send-keys", "keys, hex or literal"],
    ["paste", "text"],
    ["resize", "cols and rows"],
  ])("%s without input asks for %s", async (action, needed) => {
    const sessionId = await start("cat");
    expect(await failure(process({ action, sessionId }))).toMatchObject({
      code: "INVALID_ARGUMENTS",
      fix: `Set ${needed}.`,
    });
  });

  test("write sends text and ends the input", async () => {
    const sessionId = await start("cat; echo over");
    const first = await process({ action: "write", sessionId, data: "grüße\n" });
    expect(getResultText(first)).toBe("Wrote 8 bytes to stdin.");
    expect(first.details).toMatchObject({ status: "running", sessionId, bytes: 8 });
    expect(getResultText(await process({ action: "write", sessionId, data: "x\n", eof: true }))).toBe(
      "Wrote 2 bytes to stdin. Submitted EOF to stdin.",
    );
    expect((await finish(sessionId)).join("")).toContain("grüße\nx\nover");
  });

  test("submit ends the input, after optional text", async () => {
    const plain = await start("cat; echo over");
    expect(getResultText(await process({ action: "submit", sessionId: plain }))).toBe(
      "Submitted EOF to stdin.",
    );
    expect((await finish(plain)).join("")).toContain("over");
    const withData = await start("cat; echo over");
    expect(getResultText(await process({ action: "submit", sessionId: withData, data: "last" }))).toBe(
      "Wrote 4 bytes to stdin. Submitted EOF to stdin.",
    );
    expect((await finish(withData)).join("")).toContain("lastover");
  });

  test("send-keys sends keys, bytes and text in order, and warns of unknown keys", async () => {
    const sessionId = await start("od -An -c");
    const result = await process({
      action: "send-keys",
      sessionId,
      literal: "lit",
      hex: ["0a ff", "zz"],
      keys: ["C-c", "hello", "enter"],
    });
    expect(getResultText(result)).toBe(
      `Sent 12 bytes of keys to session ${sessionId}.\nWarning: "zz" is not a hexadecimal byte and was ignored.`,
    );
    const refused = process({
      action: "send-keys",
      sessionId,
      literal: "not sent",
      keys: ["enter; touch x"],
    });
    expect(await failure(refused)).toMatchObject({ code: "INVALID_ARGUMENTS", receipt: "none" });
    await process({ action: "submit", sessionId });
    const output = (await finish(sessionId)).join("").replaceAll(/\s+/g, " ");
    expect(output).not.toContain("n o t");
    expect(output).toContain(String.raw`l i t \n 377 003 h e l l o \r`);
  });

  test("write reports a command that has closed its input", async () => {
    const sessionId = await start("exec <&-; echo ready; sleep 619");
    await process({ action: "poll", sessionId, timeout: 60_000 });
    // A program that starts at this moment may hold the other end of the pipe until it runs.
    await until("its input is closed", async () => {
      const writing = process({ action: "write", sessionId, data: "x" });
      return writing.then(
        () => false,
        (error: unknown) => (error as { code?: string }).code === "STDIN_CLOSED",
      );
    });
    const ended = await start("true");
    await process({ action: "poll", sessionId: ended, timeout: 60_000 });
    expect(await failure(process({ action: "write", sessionId: ended, data: "x" }))).toMatchObject({
      code: "STDIN_CLOSED",
      message: `Session ${ended} accepts no input: it has ended.`,
    });
  });
});
