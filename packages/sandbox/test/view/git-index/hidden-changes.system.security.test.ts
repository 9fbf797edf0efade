import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { pickShare } from "../../../../../test/support/share.ts";
import { openScannedProject } from "../artifacts/scanned-project.ts";
import { createProject, git, onHost, testContained } from "../git/contained.ts";

const HIDES: Readonly<Record<string, readonly [command: string, told: RegExp]>> = {
  "skip-worktree": [
    "git update-index --skip-worktree one; echo evil >one",
    /^Git does not show changes of one in /,
  ],
  "assume-unchanged": [
    "git update-index --assume-unchanged one; echo evil >one",
    /^Git does not show changes of one in /,
  ],
  "a linked working tree": [
    "git worktree add -q tree; cd tree; git update-index --skip-worktree one; echo evil >one",
    /^Git does not show changes of one in .*\/tree, /,
  ],
  "a submodule": [
    "git -c protocol.file.allow=always submodule -q add ../origin sub; cd sub; git update-index --assume-unchanged one; echo evil >one",
    /^Git does not show changes of one in .*\/sub, /,
  ],
  "a new repository": [
    "git clone -q . new; cd new; git update-index --skip-worktree one",
    /^Git does not show changes of one in .*\/new, /,
  ],
  exclude: [
    "echo evil.sh >>.git/info/exclude; echo evil >evil.sh",
    /info\/exclude got new lines .*: evil\.sh\./,
  ],
  attributes: [
    "echo '*.js -diff' >.git/info/attributes",
    /info\/attributes got new lines .*: \*\.js -diff\./,
  ],
  grafts: ["git rev-parse HEAD >.git/info/grafts", /info\/grafts got new lines/],
  replace: [
    "git replace HEAD $(git commit-tree -m x $(git rev-parse HEAD^{tree}))",
    /^Git shows other objects .* refs\/replace got new names while commands ran: [0-9a-f]{40}\./,
  ],
  "replace, packed": [
    "git replace HEAD $(git commit-tree -m x $(git rev-parse HEAD^{tree})); git pack-refs --all",
    /^Git shows other objects /,
  ],
};

describe("reported causes that hide changes from the user's git", () => {
  for (const [name, [command, notice]] of pickShare(Object.entries(HIDES), 2))
    testContained(name, async () => {
      const { root } = createProject();
      const { call } = await openScannedProject(root);
      const { notices } = await call(command);
      expect(notices.filter((one) => notice.test(one))).toHaveLength(1);
      expect((await call("git status")).notices.filter((one) => notice.test(one))).toEqual([]);
    });

  testContained("do not include settings of the user or a sparse checkout", async () => {
    const { root } = createProject();
    writeFileSync(join(root, "two"), "");
    git(root, "add", "two");
    git(root, "commit", "-qm", "two");
    onHost(root, "git update-index --skip-worktree one; echo mine >>.git/info/exclude; sleep 0.1");
    const { call } = await openScannedProject(root);
    expect((await call("true")).notices).toEqual([]);
    onHost(
      root,
      "sleep 0.1; git update-index --assume-unchanged two; echo more >>.git/info/exclude; sleep 0.1",
    );
    expect(
      (await call("git status; git commit -q --allow-empty -m x; git gc -q; git init -q new")).notices.join(),
    ).not.toContain("while commands ran");
    const other = createProject();
    const sparse = await openScannedProject(other.root);
    const ran = await sparse.call(
      "mkdir d; echo 1 >d/f; git add d; git commit -qm d; git sparse-checkout set --no-cone /one",
    );
    expect(ran.notices.join()).not.toContain("Git does not show");
  });
});
