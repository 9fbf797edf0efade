import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AuditLog } from "../../src/audit/audit-log.ts";
import { line } from "./lines.ts";
import { folder, idsIn, writer } from "./support.ts";

const isRoot = process.getuid?.() === 0;

describe("an audit log that cannot be written or is not private", () => {
  test.each([
    ["in a folder that others may write to", (path: string) => chmodSync(path, 0o777), /others may write to/],
    ["that is a link", (path: string) => symlinkSync("elsewhere", join(path, "log")), /it is a link/],
    ["that is a folder", (path: string) => mkdirSync(join(path, "log")), /it is a folder/],
    [
      "that has another name",
      (path: string) => {
        writeFileSync(join(path, "other"), "");
        linkSync(join(path, "other"), join(path, "log"));
      },
      /another name/,
    ],
  ] as const)("%s is refused with advice", (_what, prepare, why) => {
    const path = folder();
    prepare(path);
    const log = new AuditLog({ file: join(path, "log"), bytes: 1_000, files: 2 });
    for (const use of [() => log.require(), () => log.append(line("1"))])
      expect(use).toThrow(
        expect.objectContaining({
          code: "LEDGER_UNAVAILABLE",
          receipt: "none",
          fix: expect.any(String),
          message: expect.stringMatching(why),
        }) as Error,
      );
    expect(existsSync(join(path, "elsewhere"))).toBe(false);
  });

  test("is refused if a parent folder is a file", () => {
    const path = folder();
    writeFileSync(join(path, "file"), "");
    const log = new AuditLog({ file: join(path, "file/log"), bytes: 1_000, files: 2 });
    expect(() => log.require()).toThrow(/cannot be written/);
  });

  test.skipIf(isRoot)("is refused without permission to write", () => {
    const path = folder();
    chmodSync(path, 0o500);
    expect(() => new AuditLog({ file: join(path, "log"), bytes: 1_000, files: 2 }).require()).toThrow(
      /does not permit/,
    );
  });

  test("becomes private even if it was not before", () => {
    const file = join(folder(), "deep/er/log");
    const log = new AuditLog({ file, bytes: 1_000, files: 2 });
    log.require();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
    log.close();
    chmodSync(file, 0o644);
    log.require();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    log.close();
  });
});

describe("lines of an audit log", () => {
  test("start on a new line after a fragment of a kill or a full disk, which is reported", async () => {
    const file = join(folder(), "log");
    const log = new AuditLog({ file, bytes: 100_000, files: 2 });
    await log.append(line("1"));
    writeFileSync(file, line("cut").slice(0, 60), { flag: "a" });
    await log.append(line("2"));
    log.close();
    expect(await idsIn(file)).toEqual({
      ids: ["1", "2"],
      problems: [expect.stringMatching(/^A part of a line: \{"audit":1/)],
    });
  });

  test("are found directly after a fragment", async () => {
    const file = join(folder(), "log");
    writeFileSync(file, line("cut").slice(0, 90) + line("1") + line("2") + line("end").slice(0, 30));
    expect(await idsIn(file)).toEqual({
      ids: ["1", "2"],
      problems: [expect.any(String), expect.any(String)],
    });
  });

  test("go to a new file if the old file was moved or removed", async () => {
    const file = join(folder(), "log");
    const log = new AuditLog({ file, bytes: 100_000, files: 2 });
    await log.append(line("1"));
    renameSync(file, `${file}.moved`);
    await log.append(line("2"));
    expect(readFileSync(file, "utf8")).toBe(line("2"));
    log.close();
  });
});

describe("rotation of an audit log", () => {
  test("limits the number and size of old files, names the newest 1, and fills gaps after a kill", async () => {
    const path = folder();
    const file = join(path, "log");
    for (const age of [1, 3, 9]) writeFileSync(`${file}.${age}`, line(`old-${age}`));
    writeFileSync(`${file}.note`, "not of the log");
    const one = line("00").length;
    const log = new AuditLog({ file, bytes: one * 2, files: 3 });
    for (let index = 0; index < 5; index++) await log.append(line(`0${index}`));
    log.close();
    expect(readdirSync(path).toSorted()).toEqual(["log", "log.1", "log.2", "log.3", "log.note"]);
    expect(await idsIn(file)).toEqual({ ids: ["old-1", "00", "01", "02", "03", "04"], problems: [] });
    for (const name of ["log", "log.1", "log.2"])
      expect(statSync(join(path, name)).size).toBeLessThanOrEqual(one * 2);
  });

  test("gives a line that exceeds the limit its own file", async () => {
    const file = join(folder(), "log");
    const log = new AuditLog({ file, bytes: 300, files: 3 });
    for (const id of ["1", "2", "3"]) await log.append(line(id, 1_000));
    log.close();
    expect((await idsIn(file)).ids).toEqual(["1", "2", "3"]);
  });

  test("by two concurrent processes loses and splits no line", async () => {
    const file = join(folder(), "log");
    const lines = 300;
    const options = { file, bytes: line("a-100", 100).length * 40, files: 50 };
    const writers = ["a", "b"].map((name) => writer(name, options, lines, 100));
    expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual([0, 0]);
    const { ids, problems } = await idsIn(file);
    expect(problems).toEqual([]);
    for (const name of ["a", "b"]) {
      const matching = ids.filter((id) => id.startsWith(name));
      expect(matching.toSorted()).toEqual(
        Array.from({ length: lines }, (_, index) => `${name}-${index}`).toSorted(),
      );
    }
    expect(readdirSync(join(file, "..")).length).toBeGreaterThan(10);
  });

  test("by four concurrent processes adds no empty line", async () => {
    const file = join(folder(), "log");
    const options = { file, bytes: 64 * 1024 * 1024, files: 2 };
    const writers = ["a", "b", "c", "d"].map((name) => writer(name, options, 400, 3_000));
    expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect([lines.length, lines.filter((each) => each === "")]).toEqual([1_600, []]);
  });

  test("keeps every written line after repeated kills, and the next process continues", async () => {
    const file = join(folder(), "log");
    const options = { file, bytes: line("k0-100", 50).length * 5, files: 50 };
    const reported: string[] = [];
    for (const round of [0, 1, 2]) {
      const { child, written, ended } = writer(`k${round}`, options, 150, 50);
      await expect.poll(written, { interval: 1, timeout: 60_000 }).toBeGreaterThan(20 + round * 7);
      child.kill("SIGKILL");
      await ended;
      for (let index = 0; index < written(); index++) reported.push(`k${round}-${index}`);
    }
    const log = new AuditLog(options);
    await log.append(line("last"));
    log.close();
    const { ids } = await idsIn(file);
    expect(ids.at(-1)).toBe("last");
    const remaining = new Set(ids);
    // Old ones may be gone by then; of the last round nothing is.
    expect(reported.filter((id) => id.startsWith("k2") && !remaining.has(id))).toEqual([]);
    expect(ids.length).toBe(remaining.size);
  });
});
