import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AnonymousPipes } from "../../src/run/children/anonymous-pipes.ts";
import { FifoPipes } from "../../src/run/children/fifo-pipes.ts";
import { startOnPipes } from "../../src/run/children/pipe-child.ts";
import { catchErrorCode } from "../support.ts";
import { EACH_START_MODE, folder, sharedSessions, start, decodeChunks, until } from "./support.ts";

const share = sharedSessions();

describe.each(EACH_START_MODE)("output, $name", ({ options }) => {
  test("keeps the order of both streams if the process pauses between writes", async () => {
    const { root, processes } = share(options);
    // It goes on when what it said has arrived, however long that takes.
    const printAndWait = (name: string, to = "") =>
      `echo ${name} ${to}; until [ -e ${name} ]; do sleep 0.02; done`;
    const script = [1, 2, 3].flatMap((i) => [printAndWait(`o${i}`), printAndWait(`e${i}`, ">&2")]).join("; ");
    const { id } = await start(processes, { script, cwd: root });
    for (const name of ["o1", "e1", "o2", "e2", "o3", "e3"]) {
      await until(`${name} arrived`, async () => decodeChunks(await processes.read(id, 0)).includes(name));
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

  test("ends if the process closes it and lives on", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, {
      script: "echo bye; exec >&- 2>&-; read -r _; exit 6",
      stdin: "open",
    });
    const first = await processes.read(id, 0, { waitMs: 60_000 });
    expect(decodeChunks(first)).toBe("bye\n");
    expect(await processes.read(id, first.next, { waitMs: 100 })).toMatchObject({ state: "running" });
    await processes.write(id, Buffer.from("\n"));
    expect(await processes.wait(id)).toMatchObject({ exitCode: 6, reason: "exit" });
  });

  test("is removed with the release of the process, not before its end", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, {
      script: "seq 1 100000; sleep 300",
      output: { ringBytes: 1000 },
    });
    await until("there is a file", async () => (await processes.info(id))!.output.spooled > 0);
    const { spoolPath, spooled } = (await processes.info(id))!.output;
    expect(readFileSync(spoolPath!, "utf8").slice(0, spooled)).toMatch(/^1\n2\n3\n/);
    expect(await catchErrorCode(processes.release(id))).toBe("INVALID_PROCESS");
    await processes.kill(id, { graceMs: 0 });
    await processes.release(id);
    expect(() => readFileSync(spoolPath!)).toThrow("ENOENT");
    expect(await processes.info(id)).toBeUndefined();
    expect(await catchErrorCode(processes.read(id, 0))).toBe("PROCESS_NOT_FOUND");
  });
});

test("is the same with Node's pipes if no pipes can be created", async () => {
  const files = folder();
  class NoPipes extends FifoPipes {
    override async pair(): Promise<undefined> {}
  }
  const seen: Record<string, string> = { stdout: "", stderr: "" };
  const marker = openSync(join(files, "marker"), "w");
  await new Promise<void>((resolve, reject) => {
    const argv = ["sh", "-c", "echo out; echo err >&2; sleep 0.1; echo more"];
    const env = { PATH: process.env["PATH"] ?? "" };
    startOnPipes(
      { argv, cwd: files, env, input: false, expect: [], marker, scratch: join(files, "scratch") },
      { input: new AnonymousPipes(), output: new NoPipes(files) },
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
  "is read completely during a flood, one buffer per turn of the event loop",
  async () => {
    const files = folder();
    const marker = openSync(join(files, "marker"), "w");
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
        { argv, cwd: files, env, input: false, expect: [], marker, scratch: join(files, "scratch") },
        { input: new AnonymousPipes(), output: new FifoPipes(files) },
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
