import { afterAll, describe, expect, test } from "vitest";
import { bench, getResultText, until } from "../support/bench.ts";

const { finish, process, start } = bench({}, {}, afterAll);

describe("log", () => {
  test("pages over all lines", async () => {
    const sessionId = await start("seq 1 5000");
    await finish(sessionId);
    const log = (more: object): Promise<string> =>
      process({ action: "log", sessionId, ...more }).then(getResultText);
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

  test("says how to continue if a page would be too long", async () => {
    const sessionId = await start("seq 1 20000");
    await finish(sessionId);
    const text = getResultText(await process({ action: "log", sessionId, offset: 0 }));
    expect(text.length).toBeLessThan(32 * 1024);
    const next = Number(/continue with offset=(\d+)\]$/.exec(text)![1]);
    expect(getResultText(await process({ action: "log", sessionId, offset: next, limit: 1 }))).toBe(
      String(next + 1),
    );
  });

  test("shows empty output, and an unfinished line", async () => {
    const sessionId = await start("read x; printf abc; read x");
    expect(getResultText(await process({ action: "log", sessionId }))).toBe("(no output yet)");
    await process({ action: "write", sessionId, data: "\n" });
    await process({ action: "poll", sessionId, timeout: 60_000 });
    expect(getResultText(await process({ action: "log", sessionId }))).toBe("abc");
  });

  test("shows a line of 50 MB, zeros and invalid bytes", async () => {
    const sessionId = await start(
      String.raw`printf 'a\000b\377c\n'; head -c 50000000 /dev/zero | tr '\0' x; echo; echo end`,
    );
    await finish(sessionId);
    const result = await process({ action: "log", sessionId, offset: 0 });
    expect(getResultText(result)).toMatch(/^ab\uFFFDc\nx{8192}… \[49991808 more bytes in this line\]\nend$/);
    expect(result.details).toMatchObject({ totalLines: 3 });
  });

  test("grows with the output", async () => {
    const sessionId = await start("while read n; do seq 1 $n; done");
    for (const [count, total] of [
      [1000, 1000],
      [24, 1024],
      [1, 1025],
    ] as const) {
      await process({ action: "write", sessionId, data: `${count}\n` });
      await until("the lines are there", async () => {
        const { details } = await process({ action: "log", sessionId });
        return (details as { totalLines: number }).totalLines === total;
      });
      expect(getResultText(await process({ action: "log", sessionId, limit: 1 }))).toBe(String(count));
    }
  });
});
