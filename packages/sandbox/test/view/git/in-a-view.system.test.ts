import { expect } from "vitest";
import { openGitBroker } from "../../../src/view/git/open-git-broker.ts";
import { eventually, tempFolder } from "../../support.ts";
import { openTestView, testContained } from "../support.ts";
import { createProject, git } from "./contained.ts";

testContained("supports git in a view, and stays protected when the host replaces settings", async () => {
  const { root } = createProject();
  const broker = await openGitBroker({
    roots: [root],
    folder: tempFolder("git-state"),
    backupFolder: tempFolder("kept"),
  });
  const { view, run } = await openTestView(
    { root, ...broker.mounts, writable: [root] },
    { onOpen: (open) => broker.enter(open) },
  );
  expect(
    await run(
      "git checkout -q -b x origin/topic && git branch -m y && git branch -d main && git config core.pager evil",
    ),
  ).toMatchObject({ exitCode: 0 });
  expect((await broker.after(false)).join()).toContain("core.pager");
  expect(git(root, "config", "--get-regexp", "^branch")).toBe(
    "branch.y.remote origin\nbranch.y.merge refs/heads/topic\n",
  );
  // The user's own change takes the mount off; it is back at once.
  git(root, "config", "push.default", "simple");
  expect(await eventually(async () => (await run("test -L .git/config")).exitCode === 0)).toBe(true);
  expect(await broker.before()).toEqual([]);
  expect(
    await run("exec 2>&1; git config push.default && git config core.pager && echo x >.git/hooks/pre-commit"),
  ).toMatchObject({
    output: expect.stringMatching(/^simple\nevil\n.*Read-only/s) as string,
  });
  await view.repair();
  await broker.before();
  expect(await run("rm -f .git/config; mv .git/HEAD .git/config")).not.toMatchObject({
    exitCode: 0,
  });
  expect(await run("git status --porcelain")).toMatchObject({ output: "", exitCode: 0 });
  expect(git(root, "status", "--porcelain")).toBe("");
});
