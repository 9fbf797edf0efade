import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { aProject, contain, git, testContained } from "./contained.ts";

testContained("harmless settings come back, others stay in the view and are named", async () => {
  const { root } = aProject();
  const view = await contain([root]);
  const ran = await view.call(
    "git checkout -b x origin/topic && git branch -m y && git config core.hooksPath evil && git config alias.st '!touch /tmp/no' && cat .git/HEAD",
  );
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.output).toContain("refs/heads/y");
  expect(ran.notices.join()).toContain("core.hookspath, alias.st");
  expect(git(root, "config", "branch.y.remote")).toBe("origin\n");
  const real = readFileSync(join(root, ".git/config"), "utf8");
  expect(real).not.toMatch(/evil|alias/);
  expect(await view.call("git config core.hooksPath; git config branch.y.merge")).toMatchObject({
    code: 0,
    output: "evil\nrefs/heads/topic\n",
    notices: [],
  });
  expect(git(root, "status", "--porcelain")).toBe("");
});
