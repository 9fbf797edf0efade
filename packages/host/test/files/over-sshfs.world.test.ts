import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mountSshfs, noSshfs } from "../../../../test/support/mount-sshfs.ts";
import { until } from "../../../../test/support/until.ts";
import { openHost } from "../support/open-host.ts";

test.skipIf(noSshfs)("file tools and undo work over sshfs and leave no other files there", async () => {
  const { from, to, beside, close } = await mountSshfs();
  onTestFinished(close);
  const host = await openHost({
    workspaceDir: to,
    stateDir: join(beside, "state"),
  });
  const session = await host.openSession();
  const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const outcome = await session.call({ name, arguments: args });
    expect(outcome).toMatchObject({ kind: "ok" });
    return (outcome as unknown as { details: { transactionId: string } }).details.transactionId;
  };
  const textAt = (name: string) => readFileSync(join(from, name), "utf8");
  const written = await call("write", { path: "new/a.txt", content: "one\n" });
  expect(textAt("new/a.txt")).toBe("one\n");
  writeFileSync(join(from, "b.txt"), "one\ntwo\n");
  writeFileSync(join(from, "c.txt"), "three\n", { mode: 0o640 });
  await call("write", { path: "new/a.txt", content: "other\n" });
  await call("edit", { path: "b.txt", edits: [{ oldText: "two", newText: "2" }] });
  const input = [
    "*** Begin Patch",
    "*** Add File: added.txt",
    "+new",
    "*** Update File: b.txt",
    "*** Move to: moved.txt",
    "@@",
    "-one",
    "+1",
    "*** Delete File: c.txt",
    "*** End Patch",
  ].join("\n");
  const patched = await call("apply_patch", { input });
  expect([textAt("moved.txt"), textAt("added.txt")]).toEqual(["1\n2\n", "new\n"]);
  expect(readdirSync(from).toSorted()).toEqual(["added.txt", "moved.txt", "new"]);
  await host.changes.undo(patched);
  expect([textAt("b.txt"), textAt("c.txt")]).toEqual(["one\n2\n", "three\n"]);
  expect(statSync(join(from, "c.txt")).mode & 0o777).toBe(0o640);
  await expect(host.changes.undo(written)).rejects.toMatchObject({ receipt: "none" });
  await until("only the files are left", () => readdirSync(from, { recursive: true }).length === 4);
  const left = readdirSync(from, { recursive: true, encoding: "utf8" });
  expect(new Set(left)).toEqual(new Set(["b.txt", "c.txt", "new", "new/a.txt"]));
});
