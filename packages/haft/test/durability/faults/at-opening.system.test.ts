import { contentToText } from "@haft/core";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { haftHere } from "../../support/haft.ts";
import {
  openHostIn,
  createFaultWorkspace,
  getErrorCode,
  readEffects,
  createNoteCall,
  type FaultWorkspace,
  readRecords,
  SESSION,
} from "./faulty-host.ts";

const PAGE = 4096;

/** A file with some calls, closed in order. */
async function filled(): Promise<FaultWorkspace> {
  const place = await createFaultWorkspace();
  const { host } = await openHostIn(place);
  const session = await host.openSession(SESSION);
  for (let count = 0; count < 10; count++)
    await session.call({ name: "write", arguments: { path: "file", content: `${count} `.repeat(1000) } });
  await host.close();
  return place;
}

function overwrite(path: string, from: number): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill("damage!", from));
}

/** What is wrong with the file before a host opens it, and what it says of that. */
const FAULTS: readonly (readonly [string, (place: FaultWorkspace) => void, code: string])[] = [
  ["overwritten from its first page on", ({ db }) => overwrite(db, 0), "STORE_CORRUPT"],
  ["overwritten behind its first page", ({ db }) => overwrite(db, PAGE), "STORE_CORRUPT"],
  ["cut in its middle", ({ db }) => truncateSync(db, 3 * PAGE), "STORE_CORRUPT"],
  [
    "of a newer version",
    ({ db }) => {
      const file = new DatabaseSync(db);
      file.exec("PRAGMA user_version = 1000");
      file.close();
    },
    "STORE_TOO_NEW",
  ],
  [
    "a link",
    ({ db, cwd }) => {
      rmSync(db);
      writeFileSync(`${cwd}/elsewhere`, "");
      symlinkSync(`${cwd}/elsewhere`, db);
    },
    "STORE_UNUSABLE",
  ],
  [
    "a folder",
    ({ db }) => {
      rmSync(db);
      mkdirSync(db);
    },
    "STORE_UNUSABLE",
  ],
];

test.for(FAULTS)(
  "%s: nothing that changes things is run, and the file is left as it is",
  async ([, spoil, code]) => {
    const place = await filled();
    spoil(place);
    const before = content(place);
    const { host } = await openHostIn(place);
    const session = await host.openSession(SESSION);
    const refused = await session.call(createNoteCall("now"));
    expect(refused).toMatchObject({ kind: "error", code: "LEDGER_UNAVAILABLE", receipt: "none" });
    expect(contentToText(refused.content)).toContain(place.db);
    expect((await session.call({ name: "read", arguments: { path: "file" } })).kind).toBe("ok");
    expect(await getErrorCode(host.openSession({ ...SESSION, resume: true }))).toBe("LEDGER_UNAVAILABLE");
    await host.close();
    expect(readEffects(place)).toEqual([]);
    expect(content(place)).toEqual(before);
    const checked = await haftHere(["ledger", "check", "--json"], { cwd: place.cwd });
    expect(checked.code).toBe(1);
    expect(checked.lines()[0]).toMatchObject({ whole: false, problems: [expect.objectContaining({ code })] });
  },
);

test.for(FAULTS)(
  "%s, with record-later: it runs, and whoever closes the host is told what was not recorded",
  async ([, spoil]) => {
    const place = await filled();
    spoil(place);
    const { host, said } = await openHostIn(place, { onStoreFault: "record-later" });
    const session = await host.openSession(SESSION);
    expect((await session.call(createNoteCall("now"))).kind).toBe("ok");
    await host.close();
    expect(readEffects(place)).toEqual(["now"]);
    expect(said.join("\n")).toMatch(/How 1 call ended is not recorded: .*"missing":1/);
  },
);

test("emptied: it goes on, as with a new file, and what is gone is told of until somebody takes note of it", async () => {
  const place = await filled();
  truncateSync(place.db);
  const { host, said } = await openHostIn(place);
  const session = await host.openSession(SESSION);
  expect((await session.call(createNoteCall("now"))).kind).toBe("ok");
  await host.close();
  expect(said.join("\n")).toContain("All data is lost");
  const check = (...more: string[]) => haftHere(["ledger", "check", ...more], { cwd: place.cwd });
  expect(await check()).toMatchObject({ code: 1, stdout: expect.stringContaining("[STORE_INCOMPLETE]") });
  expect((await check("--repair")).code).toBe(0);
  expect((await check()).code).toBe(0);
  expect(await readRecords(place)).toMatchObject([{ toolCallId: "now", outcome: "ok" }]);
});

test("a damaged file is put aside as it is when that is asked for, and a new one begun", async () => {
  const place = await filled();
  overwrite(place.db, PAGE);
  const before = content(place);
  const repaired = await haftHere(["ledger", "check", "--repair", "--json"], { cwd: place.cwd });
  const [{ aside }] = repaired.lines();
  expect(readFileSync(aside).toString("latin1")).toEqual(before);
  const { host } = await openHostIn(place);
  const session = await host.openSession(SESSION);
  expect((await session.call(createNoteCall("now"))).kind).toBe("ok");
  await host.close();
  expect((await haftHere(["ledger", "check"], { cwd: place.cwd })).code).toBe(0);
});

// To the administrator nothing is unwritable.
test.skipIf(process.getuid?.() === 0)(
  "in a folder that cannot be written: refused, and said why",
  async () => {
    const place = await filled();
    chmodSync(place.db, 0o400);
    chmodSync(place.stateDir, 0o500);
    const { host } = await openHostIn(place);
    const session = await host.openSession(SESSION);
    expect(await session.call(createNoteCall("now"))).toMatchObject({
      code: "LEDGER_UNAVAILABLE",
      receipt: "none",
    });
    chmodSync(place.stateDir, 0o700);
    expect(readEffects(place)).toEqual([]);
  },
);

function content({ db }: FaultWorkspace): string | undefined {
  try {
    return readFileSync(db, "latin1");
  } catch {
    return undefined;
  }
}
