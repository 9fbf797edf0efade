import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AuditLog } from "../../src/audit/audit-log.ts";
import { line } from "./lines.ts";
import { folder, follow, idsIn } from "./support.ts";

test("a missing log is empty, and is followed once it exists", async () => {
  const file = join(folder(), "log");
  expect(await idsIn(file)).toEqual({ ids: [], problems: [] });
  const { ids } = follow(file);
  const log = new AuditLog({ file, bytes: 1_000, files: 2 });
  await log.append(line("1"));
  await expect.poll(ids).toEqual(["1"]);
  log.close();
});

test("a line that is not an entry is reported, and reading continues", async () => {
  const file = join(folder(), "log");
  writeFileSync(file, `not json\n{"audit":2}\nnull\n\n${line("1")}`);
  expect(await idsIn(file)).toEqual({
    ids: ["1"],
    problems: [expect.any(String), expect.any(String), expect.any(String)],
  });
});

test("an incomplete line is reported as truncated only after the reader stops following", async () => {
  const file = join(folder(), "log");
  const whole = line("1");
  writeFileSync(file, whole.slice(0, 40));
  const { items, ids, stop } = follow(file);
  appendFileSync(file, whole.slice(40, 60));
  appendFileSync(file, whole.slice(60) + line("2").slice(0, 50));
  await expect.poll(ids).toEqual(["1"]);
  expect(items).toHaveLength(1);
  await stop();
  expect(items.at(-1)).toMatchObject({ problem: expect.stringContaining("A part of a line") });
});

test("follows rotations in order, each line once, including late lines of the renamed file", async () => {
  const file = join(folder(), "log");
  const log = new AuditLog({ file, bytes: line("10").length * 3, files: 4 });
  await log.append(line("10"));
  const { items, ids } = follow(file);
  const expected = ["10"];
  for (let index = 11; index < 40; index++) {
    await log.append(line(`${index}`));
    expected.push(`${index}`);
    await expect.poll(() => ids().length).toBe(expected.length);
  }
  expect(ids()).toEqual(expected);
  renameSync(file, `${file}.1`);
  appendFileSync(`${file}.1`, line("late"));
  await log.append(line("new"));
  await expect.poll(() => ids().slice(-2).toSorted()).toEqual(["late", "new"]);
  expect(items.every((item) => "entry" in item)).toBe(true);
  log.close();
});

test("from the end returns only new lines", async () => {
  const file = join(folder(), "log");
  writeFileSync(`${file}.1`, line("1"));
  writeFileSync(file, line("2"));
  const { ids } = follow(file, { from: "end" });
  const log = new AuditLog({ file, bytes: 1_000_000, files: 2 });
  // Where the end is, it finds out in its own time.
  await expect
    .poll(async () => {
      await log.append(line("3"));
      return ids().length;
    })
    .toBeGreaterThan(0);
  expect(new Set(ids())).toEqual(new Set(["3"]));
  log.close();
});

test("reports old files that were removed before they were read", async () => {
  const file = join(folder(), "log");
  writeFileSync(file, line("1"));
  const { items, ids } = follow(file);
  await expect.poll(ids).toEqual(["1"]);
  rmSync(file);
  writeFileSync(file, line("2"));
  await expect.poll(ids).toEqual(["1", "2"]);
  expect(items.filter((item) => "problem" in item)).toEqual([
    { problem: expect.stringContaining("lines are missing") },
  ]);
});
