import type { ApprovalAnswer } from "@haft/core";
import { execFileSync } from "node:child_process";
import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { aGrant, aRequest } from "../../../core/test/support/approval-samples.ts";
import { folderApprovals } from "../../src/approvals/folder-approvals.ts";
import { temporaryFolder } from "../support/haft.ts";

async function aStore() {
  const parent = await temporaryFolder();
  const folder = join(parent, "approvals");
  const warnings: string[] = [];
  const store = folderApprovals(folder, { logger: { warn: (message) => void warnings.push(message) } });
  onTestFinished(() => store.close());
  return { parent, folder, store, warnings };
}

const never = new AbortController().signal;
const allow: ApprovalAnswer = { decision: "allow-once" };
const grantLine = (about: object) => `${JSON.stringify({ ...aGrant("x"), ...about })}\n`;

test("folders and files are their owner's alone, whatever the umask and whatever they were", async () => {
  const { folder, store } = await aStore();
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o777);
  await store.addRequest(aRequest("mode1234"));
  await store.addGrant(aGrant("mode2345"));
  for (const path of ["", "requests", "grants"]) {
    expect((await stat(join(folder, path))).mode & 0o777).toBe(0o700);
  }
  for (const path of ["requests/mode1234.json", "grants/mode2345.json"]) {
    expect((await stat(join(folder, path))).mode & 0o777).toBe(0o600);
  }
});

test("a link in place of the folder is not followed", async () => {
  const { parent, folder, store } = await aStore();
  await mkdir(join(parent, "elsewhere"));
  await symlink("elsewhere", folder);
  await expect(store.addRequest(aRequest("link1234"))).rejects.toMatchObject({ code: "STATE_FOLDER_UNSAFE" });
  expect(await readdir(join(parent, "elsewhere"))).toEqual([]);
});

test("arguments and secrets are not written", async () => {
  const { folder, store } = await aStore();
  const key = "sk-abcdefghijklmnopqrstuvwx";
  const offers = [{ kind: "exact" as const, key: "k", summary: `curl -H "Authorization: Bearer ${key}"` }];
  await store.addRequest(
    aRequest("hush1234", { offers, preview: [{ type: "text", text: `TOKEN=${key} curl` }] }),
  );
  await store.addGrant(aGrant("hush2345", { summary: offers[0]!.summary }));
  const written = await Promise.all(
    ["requests/hush1234.json", "grants/hush2345.json"].map((path) => readFile(join(folder, path), "utf8")),
  );
  for (const text of written) {
    expect(text).not.toContain(key);
    expect(text).not.toContain("hush-hush");
    expect(text).toContain("[secret]");
  }
});

describe("ids never lead out of the folder", () => {
  test.each(["../../etc/x", "a/b", ".", "..", ".hidden", "", "A", "x".repeat(100), "a\0b", "ä"])(
    "%j",
    async (id) => {
      const { parent, folder, store } = await aStore();
      await expect(store.addRequest(aRequest(id))).rejects.toMatchObject({ code: "APPROVAL_ID_TAKEN" });
      await expect(store.answer(id, allow)).rejects.toMatchObject({ code: "APPROVAL_NOT_FOUND" });
      await expect(store.addGrant(aGrant(id))).rejects.toMatchObject({ code: "APPROVAL_ID_TAKEN" });
      expect(await store.useGrant(id)).toBe(false);
      expect(await store.revoke(id)).toBe(false);
      expect((await readdir(parent)).filter((name) => name !== "approvals")).toEqual([]);
      expect(await readdir(folder).catch(() => [])).not.toContain("x");
    },
  );
});

describe("answers that are none decide nothing, and one that is still gets through", () => {
  test.each([
    ["torn", '{SECRET,"decision":"allow-on'],
    ["empty", ""],
    ["a bare word", '"allow-once"'],
    ["an unknown decision", '{SECRET,"decision":"allow"}'],
    ["always, of nothing that exists", '{SECRET,"decision":"allow-always","grant":"everything"}'],
    ["of somebody who has not read the request", '{"decision":"allow-once"}'],
    ["of somebody who guesses", '{"secret":"","decision":"allow-once"}'],
    ["of somebody who has another one", `{"secret":"${"0".repeat(32)}","decision":"allow-once"}`],
    ["null", "null"],
    ["a list", '["allow-once"]'],
  ])("%s", async (_, template) => {
    const { folder, store, warnings } = await aStore();
    await store.addRequest(aRequest("open1234"));
    const { secret } = JSON.parse(await readFile(join(folder, "requests", "open1234.json"), "utf8"));
    const text = template.replace("SECRET", `"secret":${JSON.stringify(secret)}`);
    await mkdir(join(folder, "answers"), { recursive: true });
    await writeFile(join(folder, "answers", "open1234.json"), text, { mode: 0o600 });
    let heard: ApprovalAnswer | undefined;
    const answered = store.answered("open1234", never).then((answer) => void (heard = answer));
    expect(heard).toBeUndefined();
    expect(warnings.join()).toContain("open1234.json was not used");
    await store.answer("open1234", { decision: "deny" });
    await answered;
    expect(heard).toEqual({ decision: "deny" });
  });

  test("a link, a pipe, a folder, and a file that others can write", async () => {
    const { folder, store, warnings } = await aStore();
    const answers = join(folder, "answers");
    const ids = ["link", "pipe", "folder", "open"];
    for (const id of ids) await store.addRequest(aRequest(id));
    await mkdir(answers, { recursive: true });
    await writeFile(join(folder, "yes"), JSON.stringify(allow));
    await symlink("../yes", join(answers, "link.json"));
    execFileSync("mkfifo", [join(answers, "pipe.json")]);
    await mkdir(join(answers, "folder.json"));
    await writeFile(join(answers, "open.json"), JSON.stringify(allow));
    await chmod(join(answers, "open.json"), 0o622);
    const heard: string[] = [];
    for (const id of ids) void store.answered(id, never).then(() => heard.push(id));
    await expect.poll(() => warnings).toHaveLength(ids.length);
    expect(heard).toEqual([]);
    expect(warnings).toEqual(ids.map((id) => expect.stringContaining(`${id}.json was not used: it is `)));
  });

  test("what lay there before anybody was asked is removed, and where it cannot be, nobody is asked", async () => {
    const { folder, store } = await aStore();
    const answers = join(folder, "answers");
    await mkdir(answers, { recursive: true });
    await writeFile(join(folder, "yes"), JSON.stringify(allow));
    await symlink("../yes", join(answers, "link.json"));
    await writeFile(join(answers, "file.json"), JSON.stringify(allow), { mode: 0o600 });
    await mkdir(join(answers, "folder.json"));
    for (const id of ["link", "file"]) await store.addRequest(aRequest(id));
    expect(await readdir(answers)).toEqual(["folder.json"]);
    expect(await readFile(join(folder, "yes"), "utf8")).toBe(JSON.stringify(allow));
    await expect(store.addRequest(aRequest("folder"))).rejects.toMatchObject({ code: "STATE_FOLDER_FAILED" });
    const asked = (await store.requests()).map(({ approvalId }) => approvalId);
    expect(asked.toSorted()).toEqual(["file", "link"]);
  });
});

describe("grants that are none grant nothing", () => {
  test.each([
    ["of another id", grantLine({ id: "other123" })],
    ["of no scope", grantLine({ id: "evil1234", sessionKey: undefined })],
    ["of an unknown kind", grantLine({ id: "evil1234", kind: "everything" })],
    ["without a key", grantLine({ id: "evil1234", key: null })],
    ["that expire at no time", grantLine({ id: "evil1234", expiresAt: "never" })],
    ["that expired", grantLine({ id: "evil1234", expiresAt: 1 })],
    ["without an end", grantLine({ id: "evil1234" }).trimEnd()],
    ["torn", grantLine({ id: "evil1234" }).slice(0, 50)],
    ["of prototypes", '{"__proto__":{"id":"evil1234"}}\n'],
  ])("%s", async (_, text) => {
    const { folder, store } = await aStore();
    await mkdir(join(folder, "grants"), { recursive: true });
    await writeFile(join(folder, "grants", "evil1234.json"), text, { mode: 0o600 });
    expect(await store.allGrants()).toEqual([]);
    expect(await store.useGrant("evil1234")).toBe(false);
  });

  test("a hard link does not make one grant two that outlive it", async () => {
    const { folder, store } = await aStore();
    await store.addGrant(aGrant("orig1234"));
    await link(join(folder, "grants", "orig1234.json"), join(folder, "grants", "copy1234.json"));
    await store.revoke("orig1234");
    expect(await store.allGrants()).toEqual([]);
  });
});
