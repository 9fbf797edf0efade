import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findHarmlessKey } from "../../../src/view/git/harmless-settings.ts";
import { tempFolder } from "../../support.ts";
import { createProject, git } from "./contained.ts";

const folder = "/somewhere/project";
const context = { top: folder, roots: [folder] };

const YES: readonly (readonly [key: string, ...values: string[]])[] = [
  ["branch.main.remote", "origin"],
  ["branch.a.b/c.merge", "refs/heads/a.b/c"],
  ["branch.x.rebase", "true"],
  ["branch.x.description", "two\nlines"],
  ["branch.gone.remote"],
  ["remote.origin.url", "https://user@example.com/a.git"],
  ["remote.origin.url", "git@example.com:a/b.git", "ssh://example.com:22/a"],
  ["remote.origin.url", "../beside"],
  ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
  ["submodule.a/b.update", "checkout"],
  ["advice.detachedhead", "false"],
  ["color.status.added", "green bold"],
  ["user.email", "person@example.com"],
  ["color.ui", "auto"],
  ["color.diff.meta", "brightblue #00ff00 no-bold ul"],
  ["remote.origin.fetch", "+HEAD:refs/remotes/origin/HEAD", "^refs/heads/x/*", "refs/heads/main"],
  ["core.abbrev", "12"],
];
const NO: readonly (readonly [key: string, ...values: string[]])[] = [
  ["core.hookspath", "hooks"],
  ["core.fsmonitor", "x"],
  ["alias.st", "!x"],
  ["include.path", "x"],
  ["includeif.gitdir:x.path", "x"],
  ["url.ext::x.insteadof", "https://"],
  ["filter.x.clean", "x"],
  ["extensions.worktreeconfig", "true"],
  ["branch.x.remote", "ext::sh -c x"],
  ["branch.x.remote", "--upload-pack=x"],
  ["branch.x.mergeoptions", "--strategy=x"],
  ["remote.origin.url", "ext::sh -c x"],
  ["remote.origin.url", "https://example.com", "ext::x"],
  ["remote.origin.url", "-oProxyCommand=x:y"],
  ["remote.origin.url", "ssh://-oProxyCommand=x/y"],
  ["remote.origin.url", "ssh://a@-oProxyCommand=x/y"],
  ["remote.origin.url", "a@-oProxyCommand=x:y"],
  ["remote.origin.url", "file:///somewhere/project/evil.git"],
  ["remote.origin.url", "./evil.git"],
  ["remote.origin.url", "https://example.com/\nx"],
  ["remote.origin.uploadpack", "x"],
  ["remote.origin.receivepack", "x"],
  ["remote.origin.vcs", "x"],
  ["remote.origin.proxy", "x"],
  ["submodule.x.update", "!x"],
  ["submodule.x.url", "ext::x"],
  ["branch.x.merge", "--x"],
  ["remote.x.fetch", "--upload-pack=x"],
  ["core.worktree", "/"],
  ["core.editor", "x"],
  ["core.filemode", "false"],
];

/** With any of these, which git would take from a command, it ends with an error when the user looks, commits, fetches or pushes. */
const BREAKING: readonly (readonly [key: string, value: string, line: string])[] = [
  ["color.ui", "bogus", "status"],
  ["color.pager", "always", "log -1"],
  ["color.status.added", "red green blue", "status"],
  ["color.diff.meta", "nocolor", "diff"],
  ["color.branch.current", "#ff", "branch"],
  ["color.branch.current", "256", "branch"],
  ["core.abbrev", "2", "log -1"],
  ["core.abbrev", "bogus", "log -1"],
  ["core.abbrev", "99999999999999999999", "log -1"],
  ["core.quotepath", "bogus", "status"],
  ["core.bare", "true", "status"],
  ["core.repositoryformatversion", "99", "status"],
  ["core.worktree", "/nonexistent", "status"],
  ["branch.autosetupmerge", "bogus", "branch x"],
  ["branch.autosetuprebase", "bogus", "branch y"],
  ["pull.rebase", "bogus", "pull"],
  ["pull.ff", "bogus", "pull"],
  ["push.default", "bogus", "push"],
  ["user.name", ".", "commit --allow-empty -m x"],
  ["user.name", "", "commit --allow-empty -m x"],
  ["branch.main.pushremote", "evil", "push"],
  ...[
    "a..b",
    "refs/heads/a.lock",
    "refs//x",
    "refs/heads/*",
    "refs/heads/*:refs/x",
    "a:b:c",
    "^refs/x:y",
  ].map((value) => ["remote.origin.fetch", value, "status"] as const),
];

test("keeps settings that would break the user's git in the view", () => {
  const { root } = createProject();
  const file = join(root, ".git/config");
  const text = readFileSync(file);
  const here = { top: root, roots: [root], remotes: new Set(["origin"]) };
  for (const [key, value, words] of BREAKING) {
    expect({ key, value, comes: findHarmlessKey(key, [value], here) }).toEqual({ key, value });
    git(root, "config", "-f", file, key, value);
    expect(() => git(root, ...words.split(" ")), `${key} ${value}`).toThrow("Command failed");
    writeFileSync(file, text);
  }
});

test.each(YES)("writes back %s = %s", (key, ...values) => {
  expect(findHarmlessKey(key, values, context)?.toLowerCase()).toBe(key);
});

test.each(NO)("keeps %s = %s in the view", (key, ...values) => {
  expect(findHarmlessKey(key, values, context)).toBeUndefined();
});

test("recognizes a repository in a writable folder through a link", () => {
  const root = tempFolder("project");
  const beside = tempFolder("beside");
  mkdirSync(join(root, "evil.git"));
  symlinkSync(join(root, "evil.git"), join(beside, "link"));
  const here = { top: root, roots: [root] };
  expect(findHarmlessKey("remote.a.url", [join(beside, "link")], here)).toBeUndefined();
  expect(findHarmlessKey("remote.a.url", [join(beside, "other")], here)).toBe("remote.a.url");
});

test("writes keys in their usual spelling", () => {
  expect(findHarmlessKey("branch.A.pushremote", ["origin"], context)).toBe("branch.A.pushRemote");
});
