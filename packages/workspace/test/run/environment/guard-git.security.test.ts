import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run, session } from "../../processes/support.ts";

/** A folder that git takes for a repository, made of plain files, with a program to run. */
function plant(root: string): void {
  const evil = join(root, "evil");
  for (const folder of ["objects", "refs"]) mkdirSync(join(evil, folder), { recursive: true });
  writeFileSync(join(evil, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(root, "payload"), `#!/bin/sh\ntouch ${root}/ran\n`, { mode: 0o755 });
  const config = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = ${root}/payload\n`;
  writeFileSync(join(evil, "config"), config);
}

describe("a repository that consists of planted files", () => {
  test.each([
    "cd evil && git status",
    "git -C evil status",
    "cd evil/refs && git status",
    "git -C evil diff",
    "git -C evil ls-files -m",
    "git -C evil log",
  ])("runs nothing: %s", async (script) => {
    const { root, processes } = session();
    plant(root);
    const { text } = await run(processes, script);
    // Without a repository, `diff` compares files.
    expect(text).toMatch(/safe\.bareRepository|--no-index/);
    expect(existsSync(join(root, "ran"))).toBe(false);
    const env = { PATH: process.env["PATH"] };
    if (script.includes("status")) {
      try {
        execFileSync("sh", ["-c", script], { cwd: root, env, stdio: "ignore" });
      } catch {
        // Whether git is content with the answer of its monitor does not matter.
      }
      expect(existsSync(join(root, "ran"))).toBe(true);
    }
  });

  test("does not affect an ordinary repository, its folders, linked worktrees and clones", async () => {
    const { processes } = session();
    const { text, exitCode } = await run(
      processes,
      "git init -q a && cd a && git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m first && " +
        "git worktree add -q ../b && mkdir sub && cd sub && git status --short && cd ../../b && git log --format=%s && " +
        "cd .. && git clone -q --bare a c.git && git clone -q c.git d && git -C d push -q origin HEAD:refs/heads/more && git -C d log --format=%s && git --git-dir c.git log --format=%s",
    );
    expect(exitCode).toBe(0);
    expect(text).toBe("first\nfirst\nfirst\n");
  });

  test("keeps the settings of the host, and adds one", async () => {
    const set = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "my.name", GIT_CONFIG_VALUE_0: "Ada" };
    const environment = { set, allow: ["GIT_CONFIG_COUNT"] };
    const { processes } = session({ environment });
    const script = "git config my.name; git config safe.bareRepository";
    expect((await run(processes, script)).text).toBe("Ada\nexplicit\n");
    for (const count of ["0", "-1", "x"]) {
      const { text } = await run(processes, { script, env: { GIT_CONFIG_COUNT: count } });
      expect(text).toBe("explicit\n");
    }
  });
});
