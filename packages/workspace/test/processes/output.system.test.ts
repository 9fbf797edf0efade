import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AnonymousPipes } from "../../src/run/children/anonymous-pipes.ts";
import { FifoPipes } from "../../src/run/children/fifo-pipes.ts";
import { startOnPipes } from "../../src/run/children/pipe-child.ts";
import { codeOf } from "../support.ts";
import { EACH_WAY, folder, readAll, run, session, sharedSessions, start, textOf, until } from "./support.ts";

const share = sharedSessions();

/** Writes `count` numbered lines to one stream. */
const lines = (count: number, redirect = ""): string => `seq 1 ${count} ${redirect}`;

describe.each(EACH_WAY)("output, $name", ({ options }) => {
  test("is read from any offset, in pieces of any size", async () => {
    const { processes } = share(options);
    const { id } = await run(processes, lines(2000));
    const expected = Array.from({ length: 2000 }, (_, index) => `${index + 1}\n`).join("");
    for (const max of [1, 7, 4096, 1 << 20]) {
      if (max > 1) expect((await readAll(processes, id, max)).all.toString()).toBe(expected);
      const { chunks, next } = await processes.read(id, 100, { max });
      expect(textOf({ chunks } as never)).toBe(expected.slice(100, 100 + max));
      expect(next).toBe(Math.min(expected.length, 100 + max));
    }
    expect(await processes.read(id, 1e9)).toMatchObject({ chunks: [], dropped: 0, total: expected.length });
    expect(await codeOf(processes.read("no-such-process", 0))).toBe("PROCESS_NOT_FOUND");
  });

  test("keeps the order of the two streams where the process waits in between", async () => {
    const { root, processes } = share(options);
    // It goes on when what it said has arrived, however long that takes.
    const says = (name: string, to = "") => `echo ${name} ${to}; until [ -e ${name} ]; do sleep 0.02; done`;
    const script = [1, 2, 3].flatMap((i) => [says(`o${i}`), says(`e${i}`, ">&2")]).join("; ");
    const { id } = await start(processes, { script, cwd: root });
    for (const name of ["o1", "e1", "o2", "e2", "o3", "e3"]) {
      await until(`${name} arrived`, async () => textOf(await processes.read(id, 0)).includes(name));
      writeFileSync(join(root, name), "");
    }
    await processes.wait(id);
    const { chunks } = await processes.read(id, 0);
    expect(chunks.map(({ stream, bytes }) => [stream, Buffer.from(bytes).toString()])).toEqual(
      [1, 2, 3].flatMap((i) => [
        ["stdout", `o${i}\n`],
        ["stderr", `e${i}\n`],
      ]),
    );
  });

  test("arrives byte for byte: zeros, half characters, no line end", async () => {
    const { processes } = share(options);
    const { id } = await run(processes, String.raw`printf '\0\377\300a\342\202'; printf '\0\200\033[3' >&2`);
    const { stdout, stderr } = await readAll(processes, id);
    expect([...stdout]).toEqual([0, 255, 0o300, 97, 0o342, 0o202]);
    expect([...stderr]).toEqual([0, 128, 27, 91, 51]);
  });

  test("is waited for, until it comes or the process ends", async () => {
    const { processes } = share(options);
    const { id } = await start(
      processes,
      "read x; echo first; read x; exit 1".replaceAll("read x", "sleep 0.2"),
    );
    const first = await processes.read(id, 0, { waitMs: 60_000 });
    expect(textOf(first)).toBe("first\n");
    expect(first.state).toBe("running");
    const second = await processes.read(id, first.next, { waitMs: 60_000 });
    expect(second).toMatchObject({ chunks: [], state: "exited" });
    // Longer than the test may take: of what has ended nothing is waited for.
    expect(await processes.read(id, second.next, { waitMs: 120_000 })).toMatchObject({ chunks: [] });
  });

  test("waiting ends with its time, or when it is cancelled, and ends nothing else", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, "sleep 300");
    expect(await processes.read(id, 0, { waitMs: 50 })).toMatchObject({ chunks: [], state: "running" });
    expect(await processes.wait(id, { timeoutMs: 50 })).toMatchObject({ state: "running" });
    const controller = new AbortController();
    const reading = processes.read(id, 0, { waitMs: 60_000, signal: controller.signal });
    const waiting = processes.wait(id, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    expect(await reading).toMatchObject({ state: "running" });
    expect(await waiting).toMatchObject({ state: "running" });
  });

  test("beyond the limits is counted exactly: the beginning on disk, the end in memory", async () => {
    const { processes } = share(options);
    const output = { ringBytes: 10_000, spoolBytes: 50_000 };
    const { id } = await start(processes, { script: `${lines(100_000)}; ${lines(10, ">&2")}`, output });
    const info = await processes.wait(id);
    const expected = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join("");
    expect(info.output).toMatchObject({ stdout: expected.length, stderr: 21, spooled: 50_000 });
    const all = await readAll(processes, id);
    expect(all.total).toBe(expected.length + 21);
    expect(all.dropped).toBe(info.output.dropped);
    expect(all.all.length).toBe(all.total - all.dropped);
    expect(all.stdout.subarray(0, 50_000).toString()).toBe(expected.slice(0, 50_000));
    expect(all.stdout.subarray(-10_000).toString()).toBe(expected.slice(-10_000));
    expect(readFileSync(info.output.spoolPath!, "utf8")).toBe(expected.slice(0, 50_000));
  });

  test("a single long line, and nobody reading meanwhile: all of it", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, "head -c 8000000 /dev/zero | tr '\\0' x");
    const info = await processes.wait(id);
    expect(info.output).toMatchObject({ stdout: 8_000_000, dropped: 0 });
    const { stdout } = await readAll(processes, id, 1 << 20);
    expect(stdout.equals(Buffer.alloc(8_000_000, "x"))).toBe(true);
  });

  test("closed by the process itself, which lives on", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, {
      script: "echo bye; exec >&- 2>&-; read -r _; exit 6",
      stdin: "open",
    });
    const first = await processes.read(id, 0, { waitMs: 60_000 });
    expect(textOf(first)).toBe("bye\n");
    expect(await processes.read(id, first.next, { waitMs: 100 })).toMatchObject({ state: "running" });
    await processes.write(id, Buffer.from("\n"));
    expect(await processes.wait(id)).toMatchObject({ exitCode: 6, reason: "exit" });
  });

  test("is gone when the process is released, and not before it has ended", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, {
      script: `${lines(100_000)}; sleep 300`,
      output: { ringBytes: 1000 },
    });
    await until("there is a file", async () => (await processes.info(id))!.output.spooled > 0);
    const { spoolPath } = (await processes.info(id))!.output;
    expect(await codeOf(processes.release(id))).toBe("INVALID_PROCESS");
    await processes.kill(id, { graceMs: 0 });
    await processes.release(id);
    expect(() => readFileSync(spoolPath!)).toThrow("ENOENT");
    expect(await processes.info(id)).toBeUndefined();
    expect(await codeOf(processes.read(id, 0))).toBe("PROCESS_NOT_FOUND");
  });
});

test("200 commands at the same time: none has another one's output", async () => {
  const { processes } = session();
  const infos = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const info = await run(
        processes,
        `for i in 1 2 3; do echo out-${n}; echo err-${n} >&2; done; sleep 0.2; exit ${n % 7}`,
      );
      return { n, ...info };
    }),
  );
  for (const { n, text, exitCode } of infos) {
    expect(exitCode).toBe(n % 7);
    expect(text.trim().split("\n").toSorted()).toEqual([
      ...Array(3).fill(`err-${n}`),
      ...Array(3).fill(`out-${n}`),
    ]);
  }
  expect((await processes.list()).length).toBe(200);
});

test("where no pipes can be made, Node's own do: the same output", async () => {
  const place = folder();
  class NoPipes extends FifoPipes {
    override async pair(): Promise<undefined> {}
  }
  const seen: Record<string, string> = { stdout: "", stderr: "" };
  const marker = openSync(join(place, "marker"), "w");
  await new Promise<void>((resolve, reject) => {
    const argv = ["sh", "-c", "echo out; echo err >&2; sleep 0.1; echo more"];
    const env = { PATH: process.env["PATH"] ?? "" };
    startOnPipes(
      { argv, cwd: place, env, input: false, expect: [], marker, scratch: join(place, "scratch") },
      { input: new AnonymousPipes(), output: new NoPipes(place) },
      {
        output: (stream, bytes) => (seen[stream] += Buffer.from(bytes).toString()),
        outputEnded: resolve,
        exit: () => {},
      },
    ).catch(reject);
  });
  closeSync(marker);
  expect(seen).toEqual({ stdout: "out\nmore\n", stderr: "err\n" });
});

test.runIf(process.platform === "linux")(
  "a flood is read one buffer a turn of the event loop, and all of it",
  async () => {
    const place = folder();
    const marker = openSync(join(place, "marker"), "w");
    const turns = [0];
    await new Promise<void>((resolve, reject) => {
      const argv = ["head", "-c", String(16 * 1024 * 1024), "/dev/zero"];
      const env = { PATH: process.env["PATH"] ?? "" };
      let ended = false;
      const nextTurn = (): void => {
        if (ended) return resolve();
        turns.push(0);
        setImmediate(nextTurn);
      };
      startOnPipes(
        { argv, cwd: place, env, input: false, expect: [], marker, scratch: join(place, "scratch") },
        { input: new AnonymousPipes(), output: new FifoPipes(place) },
        {
          output: (_stream, bytes) => void (turns[turns.length - 1]! += bytes.length),
          outputEnded: () => (ended = true),
          exit: () => {},
        },
      ).catch(reject);
      nextTurn();
    });
    closeSync(marker);
    expect(turns.reduce((sum, count) => sum + count, 0)).toBe(16 * 1024 * 1024);
    // One read may begin a byte before the first buffer is full.
    expect(Math.max(...turns)).toBeLessThan(2 * 64 * 1024);
  },
);
