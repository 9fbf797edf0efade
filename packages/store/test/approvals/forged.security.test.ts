import { rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import {
  ALLOW,
  DENY,
  sampleGrant,
  sampleRequest,
  SCOPE,
  waiter,
} from "../../src/testing/approvals/samples.ts";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";

/** Two requests, of which one was allowed, and somebody who writes into the file. */
async function attacked() {
  const path = temporaryDatabase();
  const store = openTestStore(path);
  const { approvals } = store;
  await approvals.addRequest(sampleRequest("asked123"));
  await approvals.addRequest(sampleRequest("other123"));
  await approvals.answer("other123", ALLOW);
  const file = new DatabaseSync(path);
  const change = (sql: string): void => file.exec(sql);
  return { path, approvals, store, change, [Symbol.dispose]: () => file.close() };
}

describe("an answer forged in the file", () => {
  test.for([
    [
      "an approval without a seal",
      `UPDATE requests SET state = 'answered', answer = '{"decision":"allow-once"}'`,
    ],
    [
      "a false seal",
      `UPDATE requests SET state = 'answered', answer = '{"answer":"{\\"decision\\":\\"allow-once\\"}","seal":"00"}'`,
    ],
    [
      "the answer of another request",
      `UPDATE requests SET state = 'answered', answer = (SELECT answer FROM requests WHERE id = 'other123')`,
    ],
    ["no answer", `UPDATE requests SET state = 'answered', answer = NULL`],
  ])("is invalid: %s", async ([, sql]) => {
    using attack = await attacked();
    const { approvals, store, change } = attack;
    const { received, leave } = waiter(approvals, "asked123");
    change(`${sql} WHERE id = 'asked123'`);
    expect(await approvals.takeAnswer!({ approvalId: "asked123" })).toBeUndefined();
    expect(received).toEqual([]);
    expect(store.warnings).toEqual([expect.stringContaining("answer to asked123 was not used")]);
    // There is room for one that is.
    await approvals.answer("asked123", DENY);
    expect(await approvals.takeAnswer!({ approvalId: "asked123" })).toMatchObject({ answer: DENY });
    leave();
  });

  test("does not allow a request that was changed after its answer", async () => {
    using attack = await attacked();
    attack.change("UPDATE requests SET record = replace(record, 'hush-hush', 'evil') WHERE id = 'other123'");
    expect(await attack.approvals.takeAnswer!({ approvalId: "other123" })).toBeUndefined();
  });

  test("cannot turn a denial into an approval or reuse a taken answer", async () => {
    using attack = await attacked();
    const { approvals, change } = attack;
    await approvals.answer("asked123", DENY);
    change("UPDATE requests SET answer = replace(answer, 'deny', 'allow-once') WHERE id = 'asked123'");
    expect(await approvals.takeAnswer!({ approvalId: "asked123" })).toBeUndefined();
    await approvals.takeAnswer!({ approvalId: "other123" });
    change("UPDATE requests SET state = 'answered', taken = 0 WHERE id = 'other123'");
    expect(await approvals.takeAnswer!({ approvalId: "other123" })).toBeUndefined();
    expect(await approvals.takeAnswer!({ ...SCOPE, exactKey: "key of other123" })).toBeUndefined();
  });
});

describe("a forged row", () => {
  test("is reported, decides nothing and hides no other row", async () => {
    using attack = await attacked();
    const { approvals, change } = attack;
    await approvals.addGrant(sampleGrant("good1234"));
    await approvals.addGrant(sampleGrant("evil1234", { sessionKey: "elsewhere" }));
    change("UPDATE grants SET session_key = 's' WHERE id = 'evil1234'");
    change("UPDATE requests SET record = '{' WHERE id = 'asked123'");
    expect((await approvals.grants(SCOPE)).map(({ id }) => id)).toEqual(["good1234"]);
    expect(await approvals.requests()).toEqual([]);
    expect(approvals.problem?.()).toMatch(/was not used, and 1 more/);
    await expect(approvals.answer("asked123", ALLOW)).rejects.toMatchObject({ code: "APPROVAL_NOT_FOUND" });
  });
});

test("files are readable only by their owner, and answers arrive without the notification file", async () => {
  const path = temporaryDatabase();
  const { approvals } = openTestStore(path);
  await approvals.addRequest(sampleRequest("asked123"));
  const { answered, leave } = waiter(approvals, "asked123");
  for (const file of [path, `${path}-wal`, `${path}-approvals`]) expect(statSync(file).mode & 0o077).toBe(0);
  rmSync(`${path}-approvals`);
  await openTestStore(path).approvals.answer("asked123", ALLOW);
  await answered;
  leave();
});
