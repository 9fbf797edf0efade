import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { realFolder } from "../../../../test/support/real-folder.ts";
import { pickShare } from "../../../../test/support/share.ts";
import { view } from "../../../../test/support/view.ts";
import { openHost } from "../support/open-host.ts";

const SECRETS = ["id_ed25519", ".git-credentials", "sub/.netrc", "linked/id_rsa", ".ssh/config"];

/** A repository with a submodule, a linked working tree and untracked secrets in each of them. */
function aProject() {
  const folder = realFolder();
  const root = join(folder, "work");
  const onHost = (script: string): string =>
    execFileSync("sh", ["-c", script], { cwd: root, encoding: "utf8", stdio: "pipe" });
  const write = (name: string, content: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  };
  mkdirSync(root);
  onHost(
    `identity() { git -C $1 config user.name Ada; git -C $1 config user.email ada@example.com; }
    git init -q -b main .; git init -q -b main ../library; identity .; identity ../library
    git -C ../library commit -q --allow-empty -m library
    echo a >a.txt; git add .; git -c protocol.file.allow=always submodule --quiet add ../library sub; identity sub
    git commit -qm first; git worktree add -q linked; echo linked >.git/info/exclude`,
  );
  for (const name of SECRETS) write(name, `PRIVATE ${name}\n`);
  return {
    folder,
    root,
    onHost,
    checkSecrets(): void {
      for (const name of SECRETS) expect(readFileSync(join(root, name), "utf8")).toBe(`PRIVATE ${name}\n`);
      for (const at of [".", "sub", "linked"])
        expect(onHost(`cd ${at}; git log --all -p; git stash list -p; git diff --cached`)).not.toContain(
          "PRIVATE",
        );
    },
  };
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

/** What a user does next, none of which concerns the user's own untracked files. */
const ON_HOST = [
  "git reset -q --hard",
  "echo z >>$file; git commit -qam mine; git reset -q --hard HEAD~1",
  "echo z >>$file; git stash -q; git stash pop -q",
  "git checkout -q HEAD~1; git checkout -q -",
  "git checkout -q -f HEAD~1; git checkout -q -f -",
  "git merge -q HEAD~1; git rebase -q HEAD~1; git clean -nd",
];

describe.skipIf(!view.available)("untracked secrets", () => {
  test("are added by no git command, and other work continues", async () => {
    const { folder, root, onHost, checkSecrets } = aProject();
    const { run, host } = await openSession(root, folder);
    const printed = await run(
      `for at in linked sub .; do
        ( cd $at
          echo b >b.txt; git status --porcelain; git add -A && git commit -qm "add -A" || echo FAILED
          git add --intent-to-add -A && git commit -qam "commit -a" --allow-empty || echo FAILED
          echo c >c.txt; git stash -q -u && git stash pop -q && git add -A && git commit -qm stash || echo FAILED
          git add -f .; git add -f id_ed25519 .git-credentials .netrc id_rsa .ssh/config; git commit -q --include id_ed25519 -m x
          git update-index --add id_ed25519 .netrc id_rsa; git clean -qffdx -e linked )
      done; cat id_ed25519 linked/id_rsa sub/.netrc .ssh/*; echo ended`,
    );
    expect(printed).toContain("ended");
    expect(printed).not.toMatch(/FAILED|PRIVATE/);
    await host.close();
    for (const at of [".", "sub", "linked"]) {
      expect(onHost(`git -C ${at} ls-files`)).not.toMatch(/id_|credentials|netrc|ssh/);
      expect(onHost(`git -C ${at} log --all --name-only --format=`)).not.toMatch(/id_|credentials|netrc|ssh/);
      expect(onHost(`git -C ${at} log --all --name-only --format=`)).toMatch(/b\.txt/);
    }
    for (const at of ["linked", "sub", "."])
      for (const script of ON_HOST) {
        onHost(`cd ${at}; file=b.txt; ${script}`);
        checkSecrets();
      }
  });

  test("are not committed with other content if the user meant to add them", async () => {
    const { folder, root, onHost } = aProject();
    onHost("git add -N id_ed25519");
    const { run, host } = await openSession(root, folder);
    await run(
      "echo b >b.txt; git add b.txt; git commit -qm one; echo c >>b.txt; git commit -qam two; git add -A",
    );
    await host.close();
    expect(onHost("git log --all --name-only --format=")).not.toContain("id_ed25519");
    expect(onHost("git status --porcelain id_ed25519")).toBe(" A id_ed25519\n");
    onHost("git stash -q 2>/dev/null || true");
    expect(readFileSync(join(root, "id_ed25519"), "utf8")).toBe("PRIVATE id_ed25519\n");
  });

  test("are reported if a command writes them into the index, and git ignores the file", async () => {
    for (const script of pickShare(ON_HOST, 3)) {
      const { folder, root, onHost, checkSecrets } = aProject();
      const { run, host } = await openSession(root, folder);
      await run("true");
      await run(
        `o=$(echo mine | git hash-object -w --stdin)
        git update-index --add --cacheinfo 100644,$o,id_ed25519 --cacheinfo 100644,$o,.ssh/config
        git commit -qm trick`,
      );
      const printed = await run("true");
      expect(printed).toMatch(/^.*Git tracks .*id_ed25519/m);
      await run("git update-index --no-skip-worktree id_ed25519 .ssh/config");
      await host.close();
      expect(onHost("git status --porcelain")).not.toMatch(/id_|ssh/);
      onHost(`file=a.txt; ${script} || true`);
      checkSecrets();
      const later = await openSession(root, folder);
      expect(await later.run("cat id_ed25519; git update-index --no-skip-worktree id_ed25519")).not.toContain(
        "PRIVATE",
      );
      await later.host.close();
      onHost("echo z >>a.txt; git commit -qam again");
      checkSecrets();
    }
  });
});
