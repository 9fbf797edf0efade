import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { realFolder } from "../../../../test/support/real-folder.ts";
import { view } from "../../../../test/support/view.ts";
import { openHost } from "../support/open-host.ts";

const TRACKED: Readonly<Record<string, string>> = {
  "test/fixtures/id_rsa": "fixture key\n",
  ".netrc": "machine example.com\n",
  ".docker/config.json": "{}\n",
  ".git-credentials": "",
  "home/.ssh/config": "Host example\n",
  "home/.ssh/keys/id_ed25519": "fixture\r\nkey",
  "sub/.pypirc": "[pypi]\n",
};

function aProject() {
  const folder = realFolder();
  const root = join(folder, "work");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const write = (name: string, content: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  };
  mkdirSync(root);
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  for (const [name, content] of Object.entries(TRACKED)) write(name, content);
  write("a.txt", "a\n");
  git("add", "-fA");
  git("commit", "-qm", "first");
  return { folder, root, git, write };
}

async function openSession(root: string, folder: string) {
  const host = await openHost({
    workspaceDir: root,
    stateDir: join(folder, "state"),
    policy: { exec: { preset: "contained" } },
  });
  const session = await host.openSession({ kind: "main" });
  return {
    host,
    async run(command: string): Promise<string> {
      const outcome = await session.call({ name: "exec", arguments: { command } });
      return outcome.content.map((one) => (one.type === "text" ? one.text : "")).join("");
    },
  };
}

describe.skipIf(!view.available)("tracked files with names like secrets", () => {
  test("have the content of git, and no commit empties them", async () => {
    const { folder, root, git, write } = aProject();
    // The user's own secrets: in changes that nobody committed, and in files that git does not track.
    write(".netrc", "machine example.com password s3cret\n");
    write("home/.ssh/config", "IdentityFile s3cret\n");
    write("home/.ssh/id_rsa", "s3cret\n");
    write("id_ed25519", "s3cret\n");
    writeFileSync(join(root, ".git/info/exclude"), "id_*\n");
    const before = git("status", "--porcelain");
    expect(before).toBe(" M .netrc\n M home/.ssh/config\n");
    const { run, host } = await openSession(root, folder);
    expect(await run("git status --porcelain; echo end")).toMatch(/^end/);
    for (const [name, content] of Object.entries(TRACKED))
      expect(await run(`cat ${name} | base64 -w0; echo .`)).toContain(
        `${Buffer.from(content).toString("base64")}.`,
      );
    expect(await run("cat id_ed25519 home/.ssh/* .netrc; grep -r s3cret . ; echo end")).not.toContain(
      "s3cret",
    );
    expect(
      await run("echo new >.netrc; echo x >home/.ssh/config; rm -rf home/.ssh; mv .netrc x; echo end"),
    ).toMatch(/Read-only|busy/);
    await run(
      "echo work >>a.txt; git commit -qam work; echo two >two.txt; git add -A; git commit -qm two; git stash",
    );
    // An editor of the user's saves: the wall is put up again, with the same content.
    writeFileSync(join(root, ".saved"), "machine example.com password s3cret 2\n");
    renameSync(join(root, ".saved"), join(root, ".netrc"));
    expect(await run("cat .netrc")).toMatch(/machine example.com$/);
    await host.close();
    expect(git("show", "--stat", "--format=", "HEAD~1", "HEAD")).toMatch(
      /^ a\.txt \| 1 \+\n.*\n two\.txt \| 1 \+\n.*\n$/,
    );
    for (const [name, content] of Object.entries(TRACKED)) expect(git("show", `HEAD:${name}`)).toBe(content);
    expect(git("status", "--porcelain")).toBe(before);
    expect(readFileSync(join(root, "home/.ssh/id_rsa"), "utf8")).toBe("s3cret\n");
  });

  test("stay unreadable if a command makes git track a secret", async () => {
    const { folder, root, git, write } = aProject();
    write("id_ecdsa", "s3cret\n");
    const first = await openSession(root, folder);
    await first.run(
      "git add -f id_ecdsa; o=$(echo mine | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$o,id_ecdsa",
    );
    await first.host.close();
    const second = await openSession(root, folder);
    expect(await second.run("cat id_ecdsa")).toMatch(/^mine/);
    expect(readFileSync(join(root, "id_ecdsa"), "utf8")).toBe("s3cret\n");
    await second.run(
      "git rm -q --cached id_ecdsa; git update-index --add --cacheinfo 120000,$(printf /etc/hostname | git hash-object -w --stdin),id_ecdsa",
    );
    await second.host.close();
    const third = await openSession(root, folder);
    expect(await third.run("cat id_ecdsa 2>/dev/null; echo end")).toMatch(/^end/);
    expect(git("ls-files", "id_ecdsa")).toBe("id_ecdsa\n");
  });
});
