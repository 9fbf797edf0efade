import { fc, test as property } from "@fast-check/vitest";
import { HaftError, type ApprovalAnswer } from "@haft/core";
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { aGrant, aRequest } from "../../../core/test/support/approval-samples.ts";
import { folderApprovals } from "../../src/approvals/folder-approvals.ts";
import { temporaryFolder } from "../support/haft.ts";
import { otherProcess } from "../support/other-process.ts";

async function aStore() {
  const folder = join(await temporaryFolder(), "approvals");
  const warnings: string[] = [];
  const store = folderApprovals(folder, { logger: { warn: (message) => void warnings.push(message) } });
  onTestFinished(() => store.close());
  return { folder, store, warnings };
}

const never = new AbortController().signal;
const allow: ApprovalAnswer = { decision: "allow-once" };
const code = (code: string) => expect.objectContaining({ code });

describe("requests", () => {
  test("what was never asked, was answered or is over cannot be answered", async () => {
    const { store } = await aStore();
    await expect(store.answer("nothing1", allow)).rejects.toEqual(code("APPROVAL_NOT_FOUND"));
    await store.addRequest(aRequest("over1234", { expiresAt: Date.now() - 1 }));
    await expect(store.answer("over1234", allow)).rejects.toEqual(code("APPROVAL_NOT_FOUND"));
    await store.addRequest(aRequest("gone1234"));
    await store.removeRequest("gone1234");
    await expect(store.answer("gone1234", allow)).rejects.toEqual(code("APPROVAL_NOT_FOUND"));
    await store.addRequest(aRequest("once1234"));
    await store.answer("once1234", allow);
    await expect(store.answer("once1234", allow)).rejects.toEqual(code("APPROVAL_NOT_FOUND"));
    expect(await store.requests()).toEqual([]);
  });

  test("an answer that is none, or not possible, leaves the call waiting", async () => {
    const { store } = await aStore();
    await store.addRequest(aRequest("wait1234", { offers: [], noAlways: "every call is asked about" }));
    await expect(store.answer("wait1234", { decision: "yes" as never })).rejects.toEqual(
      code("INVALID_DECISION"),
    );
    await expect(store.answer("wait1234", { decision: "allow-always" })).rejects.toEqual(
      code("GRANT_IMPOSSIBLE"),
    );
    const answered = store.answered("wait1234", never);
    await store.answer("wait1234", { ...allow, by: "ada" });
    expect(await answered).toEqual({ ...allow, by: "ada" });
  });

  test("nothing is made before something is kept", async () => {
    const { folder, store } = await aStore();
    expect([await store.requests(), await store.allGrants()]).toEqual([[], []]);
    await expect(stat(folder)).rejects.toThrow(/ENOENT/);
  });

  test("requests are listed oldest first, without their arguments", async () => {
    const { store } = await aStore();
    await store.addRequest(aRequest("second12", { requestedAt: 2 }));
    await store.addRequest(aRequest("first123", { requestedAt: 1 }));
    const requests = await store.requests();
    expect(requests.map(({ approvalId }) => approvalId)).toEqual(["first123", "second12"]);
    expect(requests[0]).toMatchObject({ reason: "exec needs approval.", args: undefined });
  });

  test("what a killed process asked is not shown when it has been silent for a minute", async () => {
    const { folder, store } = await aStore();
    await store.addRequest(aRequest("dead1234"));
    const then = new Date(Date.now() - 61_000);
    await utimes(join(folder, "requests", "dead1234.json"), then, then);
    expect(await store.requests()).toEqual([]);
    await expect(store.answer("dead1234", allow)).rejects.toEqual(code("APPROVAL_NOT_FOUND"));
  });

  test("requests that are over are swept with the next one; answers nobody took as well", async () => {
    const { folder, store } = await aStore();
    await store.addRequest(aRequest("over1234", { expiresAt: Date.now() - 1 }));
    await store.addRequest(aRequest("unheard1"));
    await store.answer("unheard1", allow);
    const then = new Date(Date.now() - 120_000);
    await utimes(join(folder, "answers", "unheard1.json"), then, then);
    await store.addRequest(aRequest("next1234"));
    expect(await readdir(join(folder, "requests"))).toEqual(["next1234.json"]);
    expect(await readdir(join(folder, "answers"))).toEqual([]);
  });

  test("close takes back what this process asked, and nothing else", async () => {
    const { folder, store } = await aStore();
    const other = folderApprovals(folder);
    await other.addRequest(aRequest("other123"));
    await store.addRequest(aRequest("mine1234"));
    await store.close();
    expect((await other.requests()).map(({ approvalId }) => approvalId)).toEqual(["other123"]);
  });
});

describe("two processes", () => {
  test("an answer of one reaches the call that waits in the other", async () => {
    const { folder, store } = await aStore();
    const other = otherProcess(folder);
    await other.do("ask", "cross123");
    expect((await store.requests()).map(({ approvalId }) => approvalId)).toEqual(["cross123"]);
    await store.answer("cross123", { decision: "allow-always", grant: "exact", forMs: 5_000, by: "ada" });
    expect(await other.next()).toEqual({
      heard: "cross123",
      answer: { decision: "allow-always", grant: "exact", forMs: 5_000, by: "ada" },
    });
    expect(await store.wasHeard("cross123", 5_000)).toBe(true);
  });

  test("and the other way round, where the one who answers learns that it was heard", async () => {
    const { folder, store } = await aStore();
    await store.addRequest(aRequest("cross234"));
    const answered = store.answered("cross234", never);
    expect(await otherProcess(folder).do("answer", "cross234", "deny")).toEqual({ answered: true });
    expect(await answered).toEqual({ decision: "deny" });
  });

  test("an answer to a process that was killed meanwhile is not reported as heard", async () => {
    const { folder, store } = await aStore();
    const other = otherProcess(folder);
    await other.do("ask", "killed12");
    other.kill();
    await expect(other.next()).rejects.toThrow(/is gone/);
    await store.answer("killed12", allow);
    expect(await store.wasHeard("killed12", 100)).toBe(false);
  });

  test("a process that comes back does not take what was answered to the one that died, whatever the id", async () => {
    const { folder, store } = await aStore();
    const other = otherProcess(folder);
    await other.do("ask", "again123");
    other.kill();
    await expect(other.next()).rejects.toThrow(/is gone/);
    await store.answer("again123", allow);
    const back = otherProcess(folder);
    await back.do("ask", "again123");
    expect(await back.do("requests")).toEqual(["again123"]);
    await store.answer("again123", { decision: "deny" });
    expect(await back.next()).toMatchObject({ heard: "again123", answer: { decision: "deny" } });
  });

  test("what was aborted or came to its time in one cannot be answered in the other", async () => {
    const { folder, store } = await aStore();
    const other = otherProcess(folder);
    for (const id of ["aborted1", "aborted2"]) {
      await other.do("ask", id);
      await other.do("withdraw", id);
      await expect(store.answer(id, allow)).rejects.toMatchObject({ code: "APPROVAL_NOT_FOUND" });
    }
  });

  test("of all who answer at once, one is the one", async () => {
    const { folder, store } = await aStore();
    const others = [otherProcess(folder), otherProcess(folder)];
    for (let round = 0; round < 20; round++) {
      const id = `race${round}`;
      await store.addRequest(aRequest(id));
      const answered = store.answered(id, never);
      const won = await Promise.all(others.map((other) => other.do("tryAnswer", id)));
      expect(won.filter(Boolean)).toHaveLength(1);
      await answered;
    }
  });

  test("uses of a grant are counted, whoever counts", async () => {
    const { folder, store } = await aStore();
    await store.addGrant(aGrant("shared12"));
    const others = [otherProcess(folder), otherProcess(folder)];
    await Promise.all(others.map((other) => other.do("use", "shared12", 200)));
    for (let count = 0; count < 100; count++) await store.useGrant("shared12");
    expect(await store.allGrants()).toMatchObject([{ id: "shared12", used: 500 }]);
  });

  test("a revoked grant does not come back while others use it", async () => {
    const { folder, store } = await aStore();
    await store.addGrant(aGrant("revoked1"));
    const other = otherProcess(folder);
    const using = other.do("use", "revoked1", 2_000);
    expect(await store.revoke("revoked1")).toBe(true);
    await using;
    expect(await store.allGrants()).toEqual([]);
    expect(await store.useGrant("revoked1")).toBe(false);
    expect(await other.do("grants")).toEqual([]);
  });
});

describe("grants", () => {
  test("outlive the store, hold for their scope only, and end when they expire", async () => {
    const { folder, store } = await aStore();
    await store.addGrant(aGrant("first123", { by: "ada" }));
    await store.addGrant(aGrant("other123", { agentId: "other" }));
    await store.addGrant(aGrant("past1234", { expiresAt: Date.now() - 1 }));
    const again = folderApprovals(folder);
    const scope = { agentId: "main", sessionKey: "s" };
    expect(await again.grants(scope)).toEqual([
      expect.objectContaining({ id: "first123", by: "ada", used: 0 }),
    ]);
    expect(await again.grants({ ...scope, sessionKey: "t" })).toEqual([]);
    expect(await again.useGrant("past1234")).toBe(false);
    expect(await readdir(join(folder, "grants"))).toEqual(["first123.json", "other123.json"]);
  });

  test("of an id that is taken, or is no id, are refused", async () => {
    const { store } = await aStore();
    await store.addGrant(aGrant("taken123"));
    await expect(store.addGrant(aGrant("taken123"))).rejects.toEqual(code("APPROVAL_ID_TAKEN"));
    await expect(store.addGrant(aGrant("../taken"))).rejects.toEqual(code("APPROVAL_ID_TAKEN"));
    expect(await store.revoke("../../x")).toBe(false);
    expect(await store.revoke("taken123")).toBe(true);
    expect(await store.revoke("taken123")).toBe(false);
  });
});

property.prop(
  [fc.array(fc.constantFrom("answer", "answerElsewhere", "remove", "poll"), { minLength: 1, maxLength: 6 })],
  { numRuns: 40 },
)("whatever happens in whatever order, a request is decided once", async (steps) => {
  const { folder, store } = await aStore();
  const elsewhere = folderApprovals(folder);
  await store.addRequest(aRequest("prop1234"));
  const controller = new AbortController();
  let heard = 0;
  const answered = store.answered("prop1234", controller.signal).then(() => void heard++);
  let accepted = 0;
  let removed = false;
  await Promise.all(
    steps.map(async (step) => {
      if (step === "remove") {
        removed = true;
        controller.abort();
        return store.removeRequest("prop1234");
      }
      if (step === "poll") return void (await store.requests());
      const by = step === "answer" ? store : elsewhere;
      await by.answer("prop1234", allow).then(
        () => void accepted++,
        (thrown: unknown) => expect(HaftError.is(thrown) && thrown.code).toBe("APPROVAL_NOT_FOUND"),
      );
    }),
  );
  expect(accepted).toBeLessThanOrEqual(1);
  if (accepted === 1 && !removed) await answered;
  expect(heard).toBeLessThanOrEqual(accepted);
  expect(await elsewhere.requests()).toEqual(accepted === 1 || removed ? [] : [expect.anything()]);
  await store.close();
});

test("a grant can be read while its folder holds what others left there", async () => {
  const { folder, store, warnings } = await aStore();
  await store.addGrant(aGrant("good1234"));
  await writeFile(join(folder, "grants", "torn1234.json"), '{"id":"torn12');
  await mkdir(join(folder, "grants", "dir12345.json"));
  await symlink("/dev/zero", join(folder, "grants", "link1234.json"));
  expect((await store.allGrants()).map(({ id }) => id)).toEqual(["good1234"]);
  await store.allGrants();
  const all = expect.stringMatching(
    /^3 files of approvals were not used, first .*; look at them, and remove them\.$/,
  );
  // Said once, and still known.
  expect(warnings).toEqual([all]);
  expect(store.problem?.()).toEqual(all);
  expect(await readFile(join(folder, "grants", "torn1234.json"), "utf8")).toBe('{"id":"torn12');
});
