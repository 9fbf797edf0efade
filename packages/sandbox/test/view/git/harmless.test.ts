import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { harmlessKey } from "../../../src/view/git/harmless.ts";
import { tempFolder } from "../../support.ts";

const folder = "/somewhere/project";
const ground = { top: folder, roots: [folder] };

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

test.each(YES)("%s = %s comes back", (key, ...values) => {
  expect(harmlessKey(key, values, ground)?.toLowerCase()).toBe(key);
});

test.each(NO)("%s = %s stays in the view", (key, ...values) => {
  expect(harmlessKey(key, values, ground)).toBeUndefined();
});

test("a repository where commands write is one of theirs, by any way", () => {
  const root = tempFolder("project");
  const beside = tempFolder("beside");
  mkdirSync(join(root, "evil.git"));
  symlinkSync(join(root, "evil.git"), join(beside, "link"));
  const here = { top: root, roots: [root] };
  expect(harmlessKey("remote.a.url", [join(beside, "link")], here)).toBeUndefined();
  expect(harmlessKey("remote.a.url", [join(beside, "other")], here)).toBe("remote.a.url");
});

test("keys come back as people write them", () => {
  expect(harmlessKey("branch.A.pushremote", ["origin"], ground)).toBe("branch.A.pushRemote");
});
