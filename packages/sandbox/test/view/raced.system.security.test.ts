import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { catchFailure, tempFolder } from "../support.ts";
import { openTestView, testContained } from "./support.ts";

/** Bubblewrap, and before it starts, something that happens between the look and the mounts. */
function bwrapAfter(script: string): string {
  const path = join(tempFolder("program"), "bwrap");
  writeFileSync(path, `#!/bin/sh\n${script}\nexec bwrap "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

describe("changes during the opening of a view", () => {
  const changes = {
    "is removed": (path: string) => `rm -rf '${path}'`,
    "becomes a link": (path: string) => `rm -rf '${path}'; ln -s "$(dirname '${path}')/beside" '${path}'`,
    "is another one": (path: string) =>
      `mv '${path}' '${path}.old'; mkdir '${path}.new'; mv '${path}.new' '${path}'`,
  };
  for (const [what, change] of Object.entries(changes)) {
    for (const kind of ["readOnly", "hidden"] as const) {
      testContained(`run no command and leave no view if a ${kind} path ${what}`, async () => {
        for (const isFolder of [false, true]) {
          const root = tempFolder("view");
          const path = join(root, "settings");
          writeFileSync(join(root, "beside"), "as it was");
          if (isFolder) mkdirSync(path);
          else writeFileSync(path, "as it was");
          const { run, processes } = await openTestView(
            { root, [kind]: [path] },
            { bwrap: bwrapAfter(change(path)) },
          );
          const error = await catchFailure(run("touch ran"));
          expect(["CONTAINMENT_BROKEN", "CONTAINMENT_UNAVAILABLE"]).toContain(error.code);
          await processes.close();
          const left = readdirSync(root).filter((name) => !name.endsWith(".old"));
          expect(left).toEqual(what === "is removed" ? ["beside"] : ["beside", "settings"]);
          expect(readFileSync(join(root, "beside"), "utf8")).toBe("as it was");
        }
      });
    }
  }

  testContained("run no command if the folder was replaced", async () => {
    const base = tempFolder("view");
    const root = join(base, "project");
    mkdirSync(root);
    const bwrap = bwrapAfter(`mv '${root}' '${root}.old'; mkdir '${root}'`);
    const { run } = await openTestView({ root }, { bwrap });
    expect(await catchFailure(run("touch ran"))).toMatchObject({ code: "CONTAINMENT_BROKEN" });
    expect(readdirSync(root)).toEqual([]);
  });
});

testContained("tries again only if a mount of the host vanished", async () => {
  const failsOnce = (folder: string): string => {
    const said = `Can't bind mount /oldroot/ on /newroot/: Unable to apply mount flags: remount "/newroot${folder}": No such file or directory`;
    const tried = join(tempFolder("program"), "tried");
    return bwrapAfter(
      `[ -e ${tried} ] || { touch ${tried}; echo 'bwrap: ${said.replace("'", `'\\''`)}' >&2; exit 1; }`,
    );
  };
  const vanished = await openTestView({}, { bwrap: failsOnce("/nowhere/gone") });
  expect((await vanished.run("echo ran")).output).toBe("ran\n");
  const there = await openTestView({}, { bwrap: failsOnce("/proc") });
  expect((await catchFailure(there.run("echo ran"))).message).toContain('remount "/newroot/proc"');
});

testContained("protects a file after each check, even if the host saves it again and again", async () => {
  const root = tempFolder("view");
  const path = join(root, "settings");
  writeFileSync(path, "0");
  const { run, view, processes } = await openTestView({ root, readOnly: [path] });
  // It has the file open for writing in every moment in which the wall is away.
  await processes.start("tries", {
    script: "while [ ! -e stop ]; do echo x 2>/dev/null >>settings; done; touch stopped",
  });
  for (let round = 1; round <= scaleRuns(20, 4); round++) {
    writeFileSync(join(root, "saved"), String(round));
    renameSync(join(root, "saved"), path);
    await view.repair();
    expect((await run("{ echo y >>settings; } 2>&1")).output).toContain("Read-only");
    // What was opened while the wall was away is open: that much is there, and no more.
    expect(readFileSync(path, "utf8")).not.toContain("y");
  }
  writeFileSync(join(root, "stop"), "");
});
