import { fc } from "@fast-check/vitest";
import { HaftError } from "@haft/core";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runsOf } from "../../../../test/support/share.ts";
import { openSqliteStore } from "../../src/index.ts";
import { callOf, closedRun, openingOf } from "../../src/testing/ledger/samples.ts";
import { storeIn, temporaryDatabase } from "../support/temporary-store.ts";

const writer = join(import.meta.dirname, "support/writer-program.ts");

/** In a program of its own, which says each number when its call is safe. */
function startWriter(path: string) {
  return spawn(process.execPath, ["--conditions=@haft/source", writer, path], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

test("wherever bytes are changed or the file ends, it is used, or refused with a reason; nothing of it is removed", async () => {
  const path = temporaryDatabase();
  const store = storeIn(path);
  await closedRun(
    store.ledger,
    Array.from({ length: 200 }, (_, index) => callOf(index + 1)),
  );
  await store.close();
  const whole = readFileSync(path);
  const change = fc.record({
    at: fc.nat(whole.length - 1),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }),
    end: fc.option(fc.nat(whole.length), { freq: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const damaged = Buffer.from(whole);
      for (const { at, bytes } of changes) damaged.set(bytes.subarray(0, damaged.length - at), at);
      const end = Math.min(...changes.map((each) => each.end ?? whole.length));
      const file = temporaryCopy(path, damaged.subarray(0, end));
      const opened = openSqliteStore({ path: file });
      try {
        const problems = await opened.check();
        const answers = await Promise.allSettled([
          opened.ledger.calls({ limit: 1000 }),
          opened.ledger.calls({ path: "/work" }),
          opened.ledger.open(openingOf()).then((run) => run.write([callOf(1)])),
        ]);
        const reasons = answers.flatMap((each) =>
          each.status === "rejected" ? [each.reason as unknown] : [],
        );
        expect(reasons.filter((reason) => !HaftError.is(reason))).toEqual([]);
        expect(problems.every(({ code, fix }) => code.startsWith("STORE_") && fix !== "")).toBe(true);
      } finally {
        await opened.close().catch(() => {});
      }
    }),
    { numRuns: runsOf(40, 4) },
  );
});

test("of two processes that write at once, and are killed, all that was said to be safe is there", async () => {
  const path = temporaryDatabase();
  const writers = [startWriter(path), startWriter(path)];
  const ended = writers.map((each) => once(each, "close"));
  const said = writers.map(() => 0);
  await Promise.all(
    writers.map(async ({ stdout }, index) => {
      for await (const text of stdout.setEncoding("utf8") as AsyncIterable<string>) {
        said[index] = Number(text.trim().split("\n").at(-1)!.split(" ")[1]);
        if (said[index] > 100) return;
      }
    }),
  );
  for (const each of writers) each.kill("SIGKILL");
  await Promise.all(ended);
  for (const most of said) expect(most).toBeGreaterThan(100);
  const { ledger, check } = storeIn(path);
  expect(await check()).toEqual([]);
  const { items: runs } = await ledger.runs();
  expect(runs.map(({ heldBy }) => heldBy)).toEqual([undefined, undefined]);
  const kept = await Promise.all(
    runs.map(async ({ runId }) => (await ledger.calls({ runId, limit: 1 })).items[0]!),
  );
  const latest = kept.map(({ seq, status }) => (status === "gap" ? seq - 1 : seq));
  const ascending = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
  for (const [index, most] of ascending(latest).entries())
    expect(most).toBeGreaterThanOrEqual(ascending(said)[index]!);
});

test("Node's warning that its SQLite is experimental does not reach standard error, and others do", () => {
  const path = temporaryDatabase();
  const program = `
    const { openSqliteStore } = await import(${JSON.stringify(import.meta.resolve("../../src/index.ts"))});
    await openSqliteStore({ path: ${JSON.stringify(path)} }).ledger.runs();
    process.emitWarning("mine", "ExperimentalWarning");`;
  const args = ["--conditions=@haft/source", "--input-type=module", "-e", `${program}\nconsole.log("done");`];
  const { stdout, stderr } = run(args);
  expect(stdout).toBe("done\n");
  expect(stderr).not.toMatch(/SQLite/i);
  expect(stderr).toMatch(/mine/);
});

function run(args: string[]): { stdout: string; stderr: string } {
  const file = join(temporaryDatabase(), "..", "stderr");
  const stdout = execFileSync("sh", ["-c", 'exec "$0" "$@" 2>"$ERRORS"', process.execPath, ...args], {
    encoding: "utf8",
    env: { ...process.env, ERRORS: file, NODE_NO_WARNINGS: "" },
  });
  return { stdout, stderr: readFileSync(file, "utf8") };
}

function temporaryCopy(beside: string, bytes: Uint8Array): string {
  const folder = `${beside}-copy`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  const file = join(folder, "haft.db");
  writeFileSync(file, bytes, { mode: 0o600 });
  return file;
}
