import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";

/** Calls of each writer that are safe when it is killed. */
const MOST = 40;
const writer = join(import.meta.dirname, "support/writer-program.ts");

/** In a program of its own, which says each number when its call is safe. */
function startWriter(path: string) {
  return spawn(process.execPath, ["--conditions=@haft/source", writer, path], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

test("no confirmed write of two killed parallel writers is lost", async () => {
  const path = temporaryDatabase();
  const writers = [startWriter(path), startWriter(path)];
  const ended = writers.map((each) => once(each, "close"));
  const confirmed = writers.map(() => 0);
  await Promise.all(
    writers.map(async ({ stdout }, index) => {
      for await (const text of stdout.setEncoding("utf8") as AsyncIterable<string>) {
        confirmed[index] = Number(text.trim().split("\n").at(-1)!.split(" ")[1]);
        if (confirmed[index] > MOST) return;
      }
    }),
  );
  for (const each of writers) each.kill("SIGKILL");
  await Promise.all(ended);
  for (const most of confirmed) expect(most).toBeGreaterThan(MOST);
  const { ledger, check } = openTestStore(path);
  expect(await check()).toEqual([]);
  const { items: runs } = await ledger.runs();
  expect(runs.map(({ heldBy }) => heldBy)).toEqual([undefined, undefined]);
  const stored = await Promise.all(
    runs.map(async ({ runId }) => (await ledger.calls({ runId, limit: 1 })).items[0]!),
  );
  const latest = stored.map(({ seq, status }) => (status === "gap" ? seq - 1 : seq));
  const ascending = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
  for (const [index, most] of ascending(latest).entries())
    expect(most).toBeGreaterThanOrEqual(ascending(confirmed)[index]!);
});

test("hides Node's warning about experimental SQLite and no other warning", () => {
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
