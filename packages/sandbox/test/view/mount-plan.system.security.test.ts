import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { catchFailure, tempFolder } from "../support.ts";
import { openTestView, folderShown, testContained } from "./support.ts";

/** A project with git's folder, and what is to be held of it. */
function aProject(base = tempFolder("view")): { root: string; held: string[] } {
  mkdirSync(join(base, ".git/hooks"), { recursive: true });
  writeFileSync(join(base, ".git/config"), "as it was\n");
  return { root: base, held: [".git/config", ".git/hooks"].map((name) => join(base, name)) };
}

describe("writable paths", () => {
  testContained("are the writable folder and no other path", async () => {
    const beside = tempFolder("beside");
    const { root, run } = await openTestView();
    const { output } = await run(
      `echo made >inside && cat inside; touch ${beside}/x; touch /etc/x; touch "$HOME/x"; touch /x`,
    );
    expect(output).toMatch(/^made\n/);
    expect(output.match(/Read-only file system|No such file/g)).toHaveLength(4);
    expect(readFileSync(join(root, "inside"), "utf8")).toBe("made\n");
    expect(readdirSync(beside)).toEqual([]);
    expect(lstatSync(join(root, "inside")).uid).toBe(process.getuid!());
  });

  testContained("cannot contain hard links to files outside", async () => {
    const { root, run } = await openTestView();
    const beside = join(folderShown(), "beside");
    writeFileSync(beside, "");
    const { output } = await run(`ln ${beside} linked 2>&1`);
    expect(output).toContain("Invalid cross-device link");
    expect(readdirSync(root)).toEqual([]);
  });

  testContained("are only the private folders if there is no writable folder", async () => {
    const root = tempFolder("view");
    const { run } = await openTestView({ root: process.cwd(), writable: [] });
    const { output } = await run(
      "exec 2>&1; touch x; for d in /tmp /var/tmp /dev/shm /run; do touch $d/x && echo $d; done",
    );
    expect(output).toContain("Read-only file system");
    expect(output).toMatch(/\/tmp\n\/var\/tmp\n\/dev\/shm\n\/run\n$/);
    expect(existsSync(join(root, "x"))).toBe(false);
  });

  testContained("exclude protected files and moves of the folders above", async () => {
    const { root, held } = aProject();
    const { run } = await openTestView({ root, readOnly: held });
    const { output } = await run(
      "echo x >>.git/config; echo x >.git/hooks/pre-commit; rm .git/config; mv .git/hooks .git/h; mv .git g; ln -f .git/config c; echo ok >.git/other",
    );
    expect(output).not.toBe("");
    expect(readFileSync(held[0]!, "utf8")).toBe("as it was\n");
    expect(readdirSync(held[1]!)).toEqual([]);
    expect(readdirSync(root)).toEqual([".git"]);
    expect(readFileSync(join(root, ".git/other"), "utf8")).toBe("ok\n");
  });
});

describe("changes of the host", () => {
  testContained("leave a replaced file protected, also for running processes", async () => {
    const { root, held } = aProject();
    const { run, view, processes } = await openTestView({ root, readOnly: held });
    const { id } = await processes.start("waits", {
      script: "until [ -e go ]; do sleep 0.05; done; echo x >>.git/config; echo tried >done",
    });
    writeFileSync(join(root, "saved"), "by the host\n");
    renameSync(join(root, "saved"), held[0]!);
    expect(await view.repair()).toEqual([held[0]]);
    expect(await view.repair()).toEqual([]);
    writeFileSync(join(root, "go"), "");
    await processes.wait(id);
    await run("echo x >>.git/config");
    expect(existsSync(join(root, "done"))).toBe(true);
    expect(readFileSync(held[0]!, "utf8")).toBe("by the host\n");
  });

  testContained("extend the protection to new files, and end it for deleted files", async () => {
    const root = tempFolder("view");
    const late = join(root, ".git/hooks");
    const { run, view } = await openTestView({ root, readOnly: [late] });
    await run("mkdir -p .git/hooks; touch .git/hooks/early");
    expect(await view.repair()).toEqual([join(root, ".git"), late]);
    await run("touch .git/hooks/late; mv .git g");
    expect(readdirSync(late)).toEqual(["early"]);
    renameSync(join(root, ".git"), join(root, "gone"));
    expect(await view.repair()).toEqual([]);
  });

  testContained("prevent all commands if they replace a writable folder", async () => {
    const base = tempFolder("view");
    const root = join(base, "project");
    mkdirSync(root);
    const { run, view } = await openTestView({ root });
    await run(":");
    // The first looks say what the next ones go by.
    for (let checks = 0; checks < 3; checks++) expect(await view.repair()).toEqual([]);
    renameSync(root, join(base, "other"));
    expect(await catchFailure(view.repair())).toMatchObject({ code: "CONTAINMENT_BROKEN", receipt: "none" });
    symlinkSync("other", root);
    expect((await catchFailure(view.repair())).message).toContain("another folder");
    rmSync(root);
    mkdirSync(root);
    expect((await catchFailure(view.repair())).message).toContain("another folder");
    rmSync(root, { recursive: true });
    renameSync(join(base, "other"), root);
    expect(await view.repair()).toEqual([]);
  });
});
