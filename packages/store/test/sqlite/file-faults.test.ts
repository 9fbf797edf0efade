import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { ensureSchema, SCHEMA_VERSION } from "../../src/sqlite/database/schema.ts";
import { sampleCall, sampleOpening } from "../../src/testing/ledger/samples.ts";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";
import { crashImage } from "./support/crash-image.ts";

const codeOf = (act: Promise<unknown>) =>
  act.then(
    () => "no error",
    (thrown: unknown) => (thrown as { code?: string }).code,
  );

/** A file with this many calls that was closed in order. */
async function filled(calls = 1): Promise<string> {
  const path = temporaryDatabase();
  const store = openTestStore(path);
  const run = await store.ledger.open(sampleOpening());
  await run.write(Array.from({ length: calls }, (_, index) => sampleCall(index + 1)));
  await run.close();
  await store.close();
  return path;
}

test("creates nothing before the first use, and private files afterwards", async () => {
  const path = join(dirname(temporaryDatabase()), "below", "haft.db");
  const store = openTestStore(path);
  expect(statSync(dirname(path), { throwIfNoEntry: false })).toBeUndefined();
  await store.ledger.open(sampleOpening());
  const folder = dirname(path);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder).toSorted()).toEqual(["haft.db", "haft.db-mark", "haft.db-shm", "haft.db-wal"]);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test("restricts a file that other users could read", async () => {
  const path = await filled();
  chmodSync(path, 0o644);
  await openTestStore(path).ledger.runs();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("rejects a file of a newer version without a change", async () => {
  const path = await filled();
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
  db.close();
  const before = readFileSync(path);
  const { ledger } = openTestStore(path);
  expect(await codeOf(ledger.runs())).toBe("STORE_TOO_NEW");
  expect(await codeOf(ledger.open(sampleOpening()))).toBe("STORE_TOO_NEW");
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("rejects a database of another program, a link and a folder without a change", async () => {
  const path = temporaryDatabase();
  const db = new DatabaseSync(path);
  db.exec("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)");
  db.close();
  expect(await codeOf(openTestStore(path).ledger.runs())).toBe("STORE_UNUSABLE");
  const link = join(dirname(path), "link.db");
  symlinkSync(path, link);
  expect(await codeOf(openTestStore(link).ledger.runs())).toBe("STORE_UNUSABLE");
  const folder = join(dirname(path), "folder.db");
  mkdirSync(folder);
  expect(await codeOf(openTestStore(folder).ledger.runs())).toBe("STORE_UNUSABLE");
  const after = new DatabaseSync(path);
  expect(after.prepare("SELECT a FROM theirs").get()).toEqual(expect.objectContaining({ a: 1 }));
  after.close();
});

test("rejects a file that is not a database, and moves it only on request", async () => {
  const path = temporaryDatabase();
  const text = "This is a letter, and no database. ".repeat(200);
  writeFileSync(path, text, { mode: 0o600 });
  const store = openTestStore(path);
  expect(await codeOf(store.ledger.open(sampleOpening()))).toBe("STORE_CORRUPT");
  expect(await store.check()).toMatchObject([{ code: "STORE_CORRUPT" }]);
  expect(readFileSync(path, "utf8")).toBe(text);
  const aside = await store.repair();
  expect(readFileSync(aside ?? "", "utf8")).toBe(text);
  const run = await store.ledger.open(sampleOpening());
  await run.write([sampleCall(1)]);
  expect(await store.check()).toEqual([]);
});

test("fails while the file is locked, and works again afterwards", async () => {
  const path = await filled();
  const other = new DatabaseSync(path);
  const { ledger } = openTestStore(path);
  const run = await ledger.open(sampleOpening());
  other.exec("BEGIN IMMEDIATE");
  expect(() => run.write([sampleCall(1)])).toThrow(
    expect.objectContaining({ code: "STORE_LOCKED", receipt: "none" }),
  );
  expect((await ledger.calls({})).items).toHaveLength(1);
  other.exec("ROLLBACK");
  await run.write([sampleCall(1)]);
  expect((await ledger.calls({})).items).toHaveLength(2);
  other.close();
});

test("detects a write-ahead file removed after a crash, and reports it until it is acknowledged", async () => {
  const path = temporaryDatabase();
  const store = openTestStore(path);
  const run = await store.ledger.open(sampleOpening());
  await run.write([sampleCall(1)]);
  const whole = openTestStore(crashImage(path, "whole"));
  expect(await whole.check()).toEqual([]);
  expect((await whole.ledger.calls({})).items).toHaveLength(1);
  const image = crashImage(path);
  rmSync(`${image}-wal`);
  const { check, repair, ledger, warnings } = openTestStore(image);
  expect(await check()).toMatchObject([{ code: "STORE_INCOMPLETE" }]);
  expect(warnings).toEqual([expect.stringContaining("write-ahead file")]);
  // What is written afterwards does not hide it.
  const next = await ledger.open(sampleOpening());
  await next.write([sampleCall(1)]);
  expect(await openTestStore(image).check()).toHaveLength(1);
  expect(await repair()).toBeUndefined();
  expect(await check()).toEqual([]);
});

test("detects a cut write-ahead file, an older copy and an emptied file", async () => {
  const path = temporaryDatabase();
  const store = openTestStore(path);
  const run = await store.ledger.open(sampleOpening());
  await run.write([sampleCall(1)]);
  const cut = crashImage(path, "cut");
  const older = crashImage(path, "older");
  truncateSync(`${cut}-wal`, 10_000);
  await run.write([sampleCall(2)]);
  writeFileSync(`${older}-mark`, readFileSync(`${path}-mark`));
  const emptied = crashImage(path, "emptied");
  rmSync(`${emptied}-wal`);
  truncateSync(emptied, 0);
  for (const image of [cut, older, emptied])
    expect(await openTestStore(image).check()).toMatchObject([{ code: "STORE_INCOMPLETE" }]);
});

test("detects a loss even if the creator was killed before the schema's checkpoint", async () => {
  const made = temporaryDatabase();
  const killed = new DatabaseSync(made);
  killed.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL");
  ensureSchema(killed, made);
  const path = crashImage(made);
  killed.close();
  expect(statSync(path).size).toBe(4096);
  const store = openTestStore(path);
  const run = await store.ledger.open(sampleOpening());
  await run.write([sampleCall(1)]);
  const image = crashImage(path);
  rmSync(`${image}-wal`);
  expect(await openTestStore(image).check()).toMatchObject([{ code: "STORE_INCOMPLETE" }]);
  // Nor does it hide where the form never came into the file.
  const formless = crashImage(path, "formless");
  rmSync(`${formless}-wal`);
  truncateSync(formless, 0);
  new DatabaseSync(formless).exec("PRAGMA journal_mode = WAL");
  expect(await openTestStore(formless).check()).toMatchObject([{ code: "STORE_INCOMPLETE" }]);
});

test("replaces a moved file without a warning", async () => {
  const path = await filled();
  rmSync(path);
  expect(await openTestStore(path).check()).toEqual([]);
});

test("names records changed by hand and missing sequence numbers", async () => {
  const path = await filled(5);
  const db = new DatabaseSync(path);
  db.exec(
    "UPDATE calls SET past = 'x' WHERE id = 'call_2'; UPDATE calls SET id = 'other' WHERE id = 'call_3'",
  );
  db.exec("DELETE FROM calls WHERE id = 'call_4'");
  db.close();
  const problems = await openTestStore(path).check();
  expect(problems.map(({ code }) => code)).toEqual(["STORE_INCOMPLETE", "STORE_CORRUPT"]);
  expect(problems[0]!.message).toMatch(/: 1 calls\.$/);
  expect(problems[1]!.message).toMatch(/call 2 of run .*call 3 of run /);
});
