import { HaftError } from "@haft/core";
import { describe, expect, it } from "vitest";
import type { JournalStore } from "../../src/changes/journal/journal.ts";
import type { TransactionRecord, TransactionStep } from "../../src/changes/journal/transaction.ts";
import { newTransactionId } from "../../src/changes/journal/transaction.ts";

const hash = "a".repeat(64);

const created: TransactionStep = {
  kind: "write",
  path: "/w/made/new.txt",
  before: null,
  after: { hash, size: 3 },
  back: [],
};

const changed = (bytes: Uint8Array): TransactionStep => ({
  kind: "write",
  path: "/w/old.txt",
  before: { hash, size: 8, mode: 0o644 },
  after: { hash, size: 6 },
  back: [{ start: 1, end: 2, bytes }],
});

const others: TransactionStep[] = [
  { kind: "rename", from: "/w/a \u{1f600}\n", to: "/w/b", before: { hash, size: 1, mode: 0o600 } },
  {
    kind: "remove",
    path: "/w/gone",
    before: { hash, size: 3, mode: 0o755 },
    bytes: Buffer.from([0, 10, 255]),
    link: false,
  },
];

let now = Date.UTC(2026, 0, 1);

function record(steps: readonly TransactionStep[], folders: readonly string[] = []): TransactionRecord {
  now += 1000;
  return { id: newTransactionId(now, "host"), at: now, scope: "host:/w", steps, folders };
}

const severalSteps = (): TransactionRecord =>
  record([created, changed(Buffer.from("x\0y")), ...others], ["/w/made"]);

/** Steps are compared as data: a store may answer another kind of byte array than it was given. */
const plain = (steps: readonly TransactionStep[]): unknown =>
  steps.map(
    (step) =>
      JSON.parse(
        JSON.stringify(step, (_, value: unknown) =>
          value instanceof Uint8Array ? [...value] : isBufferJson(value) ? value.data : value,
        ),
      ) as unknown,
  );

const isBufferJson = (value: unknown): value is { data: number[] } =>
  typeof value === "object" && value !== null && "type" in value && value.type === "Buffer";

/**
 * What every journal of changes keeps to.
 *
 * @param place Makes an empty place for a journal; each call of what it answers opens the journal that is there.
 */
export function journalStoreContract(name: string, place: () => Promise<() => JournalStore>): void {
  describe(`${name} as a journal of changes`, () => {
    it("knows nothing of a transaction that was never begun", async () => {
      const journal = (await place())();
      expect(await journal.load(newTransactionId(now, "host"))).toBeUndefined();
      expect(await journal.list()).toEqual([]);
      expect(await journal.list({ unfinished: true })).toEqual([]);
      await journal.remove(newTransactionId(now, "host"));
    });

    it.each(["", "..", "../up", "a/b", "a\0b", "x".repeat(300)])(
      "has no transaction of a name like %j",
      async (id) => {
        const journal = (await place())();
        const found = await journal.load(id).catch((thrown: unknown) => thrown);
        expect(HaftError.is(found) ? found.code : found).toBeOneOf([undefined, "TRANSACTION_NOT_FOUND"]);
      },
    );

    it.each([
      ["several steps", severalSteps],
      ["one step", () => record([changed(Buffer.from("x"))])],
    ])("never begins one of %s over another of the same id", async (_, make) => {
      const journal = (await place())();
      const first = make();
      await journal.begin(first);
      await expect(journal.begin({ ...first, scope: "host:/elsewhere" })).rejects.toMatchObject({
        code: "JOURNAL_FAILED",
        receipt: "none",
      });
      expect((await journal.load(first.id))?.scope).toBe("host:/w");
    });

    it("does not commit or give up what was never begun", async () => {
      const journal = (await place())();
      const id = newTransactionId(now, "host");
      await expect(journal.commit(id)).rejects.toMatchObject({ code: "JOURNAL_FAILED" });
      await expect(journal.fail(id)).rejects.toMatchObject({ code: "JOURNAL_FAILED" });
      expect(await journal.list()).toEqual([]);
    });

    it("keeps the content it was given, whatever becomes of the buffers", async () => {
      const open = await place();
      const bytes = Buffer.from("before");
      const kept = record([changed(bytes), created]);
      const wanted = plain(kept.steps);
      const journal = open();
      await journal.begin(kept);
      bytes.fill(0);
      expect(plain((await journal.load(kept.id))?.steps ?? [])).toEqual(wanted);
    });

    it("has a transaction from its first byte on, as running, and says how far it came", async () => {
      const open = await place();
      const begun = severalSteps();
      const journal = open();
      await journal.begin(begun);
      expect(await open().load(begun.id)).toMatchObject({ at: begun.at, scope: begun.scope, done: [] });
      journal.mark(begun.id, "1:2:3");
      journal.mark(begun.id, null);
      const loaded = await open().load(begun.id);
      expect(loaded).toMatchObject({ id: begun.id, folders: begun.folders, done: ["1:2:3", null] });
      expect(plain(loaded?.steps ?? [])).toEqual(plain(begun.steps));
      const entries = await open().list({ unfinished: true });
      expect(entries).toMatchObject([{ id: begun.id, at: begun.at, scope: begun.scope, state: "running" }]);
      expect(new Set(entries[0]?.paths)).toEqual(
        new Set(["/w/made/new.txt", "/w/old.txt", "/w/a \u{1f600}\n", "/w/b", "/w/gone"]),
      );
      expect(entries[0]?.size).toBeGreaterThan(0);
    });

    it.each([
      ["several steps", severalSteps],
      ["one step", () => record([changed(Buffer.from("x"))])],
    ])("keeps one of %s that is complete, for undo", async (_, make) => {
      const open = await place();
      const done = make();
      const journal = open();
      await journal.begin(done);
      await journal.commit(done.id);
      expect(await open().list()).toMatchObject([{ id: done.id, state: "committed" }]);
      expect(await open().list({ unfinished: true })).toEqual([]);
      expect(plain((await open().load(done.id))?.steps ?? [])).toEqual(plain(done.steps));
    });

    it.each([
      ["several steps", severalSteps],
      ["one step", () => record([changed(Buffer.from("x"))])],
    ])("keeps one of %s that was given up, for a person to look at", async (_, make) => {
      const open = await place();
      const lost = make();
      const journal = open();
      await journal.begin(lost);
      await journal.fail(lost.id);
      expect(await open().list()).toMatchObject([{ id: lost.id, state: "failed" }]);
      expect(await open().list({ unfinished: true })).toEqual([]);
      expect((await open().load(lost.id))?.id).toBe(lost.id);
    });

    it("forgets what is removed, in every state, and nothing else", async () => {
      const open = await place();
      const journal = open();
      const all = [severalSteps(), severalSteps(), severalSteps(), severalSteps()];
      for (const each of all) await journal.begin(each);
      const [running, committed, failed, kept] = all.map(({ id }) => id) as [string, string, string, string];
      journal.mark(running, "1:2:3");
      await journal.commit(committed);
      await journal.fail(failed);
      await journal.commit(kept);
      for (const id of [running, committed, failed]) {
        await journal.remove(id);
        expect(await open().load(id)).toBeUndefined();
      }
      expect((await open().list()).map(({ id }) => id)).toEqual([kept]);
    });

    it("lists the oldest first", async () => {
      const open = await place();
      const journal = open();
      const all = [severalSteps(), record([created]), severalSteps()];
      for (const each of all.toReversed()) {
        await journal.begin(each);
        await journal.commit(each.id);
      }
      expect((await open().list()).map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    });
  });
}
