import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { realFolder } from "../../../../test/support/real-folder.ts";
import { view } from "../../../../test/support/view.ts";
import { openHost } from "../support/open-host.ts";

test.skipIf(!view.available)(
  "git shows no change for settings that it cannot write when it switches branches",
  async () => {
    const folder = realFolder();
    const root = join(folder, "work");
    const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
    const write = (version: string): void => {
      for (const name of [".vscode/settings.json", ".envrc"]) writeFileSync(join(root, name), `${version}\n`);
    };
    mkdirSync(join(root, ".vscode"), { recursive: true });
    git("init", "-q", "-b", "main");
    git("config", "user.name", "Ada");
    git("config", "user.email", "ada@example.com");
    write("of main");
    git("add", "-A");
    git("commit", "-qm", "one");
    git("checkout", "-qb", "feat");
    write("longer, of feat");
    git("commit", "-qam", "two");
    git("checkout", "-q", "main");
    // Git looks into a file that is as new as its index.
    const earlier = new Date(Date.now() - 3_600_000);
    for (const name of [".vscode/settings.json", ".envrc"]) utimesSync(join(root, name), earlier, earlier);
    git("status");
    const host = await openHost({
      workspaceDir: root,
      stateDir: join(folder, "state"),
      policy: { exec: { preset: "contained" } },
    });
    const session = await host.openSession({ kind: "main" });
    const run = async (command: string): Promise<string> => {
      const outcome = await session.call({ name: "exec", arguments: { command } });
      return outcome.content.map((one) => (one.type === "text" ? one.text : "")).join("");
    };
    await run("git status");
    await run("git checkout feat");
    expect(await run("git status --porcelain; echo end")).toMatch(/Git could not write .*\n*[^]*^end/m);
    await run("echo a >a.txt; git add -A; git commit -qam a");
    expect(git("status", "--porcelain")).toBe("");
    writeFileSync(join(root, "b.txt"), "b");
    git("add", "-A");
    git("commit", "-qam", "b");
    expect(git("diff", "--stat", "main", "HEAD~2")).toContain("2 files changed");
    expect(git("diff", "--name-only", "HEAD~2", "HEAD")).toBe("a.txt\nb.txt\n");
    // Back, with what is there since the beginning.
    await run("git checkout main");
    await run("true");
    expect(git("rev-parse", "--abbrev-ref", "HEAD")).toBe("main\n");
    expect(git("status", "--porcelain")).toBe("");
    expect(readFileSync(join(root, ".envrc"), "utf8")).toBe("of main\n");
    // What the user changes is seen.
    writeFileSync(join(root, ".envrc"), "mine\n");
    expect(git("status", "--porcelain")).toBe(" M .envrc\n");
  },
);
