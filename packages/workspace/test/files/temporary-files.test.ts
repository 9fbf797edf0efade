import { temporaryName } from "@haft/system";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createHostWorkspace } from "../../src/index.ts";

/** No process has this number. */
const OF_THE_DEAD = ".haft-2147483645-1-0123456789ab.tmp";

test("hides temporary files, and removes temporary files of dead processes", async () => {
  const root = mkdtempSync(join(tmpdir(), "haft-temporary-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const living = temporaryName();
  const recent = OF_THE_DEAD.replace("ab.tmp", "cd.tmp");
  const userFile = ".haft-notes.tmp";
  for (const name of [OF_THE_DEAD, recent, living, userFile]) writeFileSync(join(root, name), "x");
  for (const name of [OF_THE_DEAD, living]) utimesSync(join(root, name), 0, 0);
  for (const rootAccess of ["ro", "rw"] as const) {
    const { entries } = await createHostWorkspace({ root, rootAccess }).fs.list(".");
    expect(entries.map(({ name }) => name)).toEqual([userFile]);
    const left = rootAccess === "ro" ? [OF_THE_DEAD, recent, living, userFile] : [recent, living, userFile];
    expect(readdirSync(root).toSorted()).toEqual(left.toSorted());
  }
});
