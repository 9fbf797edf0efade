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

test("nothing is made before the store is used, and what is made is this user's alone", async () => {
  const path = join(dirname(temporaryDatabase()), "below", "haft.db");
  const store = openTestStore(path);
  expect(statSync(dirname(path), { throwIfNoEntry: false })).toBeUndefined();
  await store.ledger.open(sampleOpening());
  const folder = dirname(path);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder).toSorted()).toEqual(["haft.db", "haft.db-mark", "haft.db-shm", "haft.db-wal"]);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test("a file that others could read is closed to them", async () => {
  const path = await filled();
  chmodSync(path, 0o644);
  await openTestStore(path).ledger.runs();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a file of a newer version is refused, and left as it was", async () => {
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

test("a database of another program, a link and a folder are refused, and left as they were", async () => {
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

test("a file that is no database is refused until somebody asks to have it put aside, and then kept", async () => {
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

test("a file that is locked all the time refuses, and works again once it is free", async () => {
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

test("a write-ahead file that was removed after a crash is noticed, and told of once it was taken note of", async () => {
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

test("a write-ahead file that was cut, an older copy, and an emptied file are noticed", async () => {
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

test("what is lost is noticed also where whoever made the file was killed before it had its form to itself", async () => {
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

test("one that was moved away is begun anew without a word", async () => {
  const path = await filled();
  rmSync(path);
  expect(await openTestStore(path).check()).toEqual([]);
});

test("records that were changed by hand, and places that are empty, are named", async () => {
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
  expect(problems[1]!.message).toMatch(/place 2 of run .*place 3 of run /);
});
