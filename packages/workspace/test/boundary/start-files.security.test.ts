import { existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bytes, catchErrorCode, catchFailure, LEVELS, open, readText, site } from "../support.ts";

describe.each(LEVELS)("files that other programs start, at level $level", (level) => {
  const start = (options = {}) => {
    const files = site();
    const home = join(files.ws, "home");
    mkdirSync(home);
    files.put("ws/home/.bashrc", "one");
    files.put("ws/home/.config/git/config", "one");
    files.put("ws/home/.local/bin/tool", "one");
    files.put("ws/home/bin/tool", "one");
    files.put("ws/.vscode/tasks.json", "{}");
    files.put("ws/.envrc", "one");
    const workspace = open(level, { root: files.ws, homeDir: home, ...options });
    return { ...files, home, workspace, fs: workspace.fs };
  };

  it("allows reading the user's start files and rejects changes, in any spelling", async () => {
    const s = start();
    symlinkSync("home/.bashrc", join(s.ws, "rc"));
    symlinkSync("home/.config", join(s.ws, "conf"));
    s.put("ws/staged/config", "evil");
    expect(await readText(s.workspace, "home/.bashrc")).toBe("one");
    for (const change of [
      s.fs.write("home/.bashrc", bytes("evil")),
      s.fs.write("~/.bashrc", bytes("evil")),
      s.fs.write("rc", bytes("evil")),
      s.fs.append("rc", bytes("evil")),
      s.fs.write("home/.zshenv", bytes("evil")),
      s.fs.write("home/.gitconfig", bytes("evil")),
      s.fs.write("conf/git/config", bytes("evil")),
      s.fs.write("conf/autostart/x.desktop", bytes("evil")),
      s.fs.write("conf/systemd/user/x.service", bytes("evil")),
      s.fs.write("conf/haft/policy.yaml", bytes("evil")),
      s.fs.write("home/.local/bin/git", bytes("evil")),
      s.fs.write("home/.local/lib/python3.13/site-packages/usercustomize.py", bytes("evil")),
      s.fs.write("home/.docker/cli-plugins/docker-compose", bytes("evil")),
      s.fs.write("home/.config/bspwm/bspwmrc", bytes("evil")),
      s.fs.write("home/.bash_completion", bytes("evil")),
      s.fs.mkdirp("home/.config/fish"),
      s.fs.remove("home/bin/tool"),
      s.fs.rename("home/.bashrc", "away"),
      s.fs.rename("staged/config", "home/.gitconfig"),
      s.fs.rename("staged", "home/.config/fish"),
    ]) {
      expect(await catchErrorCode(change)).toBe("READ_ONLY");
    }
    for (const folder of ["home/.config", "home/.local"])
      expect(await catchErrorCode(s.fs.rename(folder, "away"))).toBe("READ_ONLY");
    expect((await catchFailure(s.fs.write("rc", bytes("")))).fix).toContain("`startFiles`");
    expect(readFileSync(join(s.home, ".bashrc"), "utf8")).toBe("one");
  });

  it("protects the target of a start file; other files with such names are ordinary", async () => {
    const s = start();
    s.put("ws/dotfiles/vimrc", "one");
    symlinkSync(join(s.ws, "dotfiles/vimrc"), join(s.home, ".vimrc"));
    expect(await catchErrorCode(s.fs.write("dotfiles/vimrc", bytes("evil")))).toBe("READ_ONLY");
    await s.fs.write("dotfiles/.bashrc", bytes("two"));
    await s.fs.write(".bashrc", bytes("two"));
    await s.fs.write(".config/git/config", bytes("two"));
    await s.fs.write(".vim/vimrc", bytes("two"));
  });

  it("protects targets of links: through folders, missing files and other links", async () => {
    const s = start();
    s.put("ws/dotfiles/local/share/plain", "one");
    s.put("ws/dotfiles/zshrc", "one");
    symlinkSync("zshrc", join(s.ws, "dotfiles/zsh-link"));
    symlinkSync("../dotfiles/zsh-link", join(s.home, ".zshrc"));
    symlinkSync("../dotfiles/aliases", join(s.home, ".bash_aliases"));
    symlinkSync(join(s.ws, "dotfiles/cargo"), join(s.home, ".cargo"));
    symlinkSync("../dotfiles/../dotfiles/gradle/", join(s.home, ".gradle"));
    symlinkSync(".profile", join(s.home, ".profile"));
    for (const change of [
      s.fs.write("dotfiles/zshrc", bytes("evil")),
      s.fs.remove("dotfiles/zsh-link"),
      s.fs.rename("dotfiles/zsh-link", "away"),
      s.fs.rename("dotfiles/local/share/plain", "dotfiles/zsh-link"),
      s.fs.write("dotfiles/aliases", bytes("evil")),
      s.fs.write("home/.bash_aliases", bytes("evil")),
      s.fs.write("dotfiles/cargo/bin/cargo", bytes("evil")),
      s.fs.write("dotfiles/cargo/config.toml", bytes("evil")),
      s.fs.mkdirp("dotfiles/gradle/init.d"),
    ]) {
      expect(await catchErrorCode(change)).toBe("READ_ONLY");
    }
    s.put("ws/staged/bin/cargo", "evil");
    expect(await catchErrorCode(s.fs.rename("staged", "dotfiles/cargo"))).toBe("READ_ONLY");
    await s.fs.write("dotfiles/local/share/plain", bytes("two"));
    await s.fs.write("dotfiles/cargo/registry/x", bytes("two"));
    expect(readlinkSync(join(s.ws, "dotfiles/zsh-link"))).toBe("zshrc");
  });

  it("requires consent for settings that Vim reads in the folder where it starts", async () => {
    const s = start();
    for (const name of [".exrc", ".vimrc", ".gvimrc", "_vimrc", "sub/_gvimrc"])
      expect(await catchErrorCode(s.fs.write(name, bytes("evil")))).toBe("CONSENT_NEEDED");
  });

  it("allows other writes if the home folder is unreadable", async () => {
    const s = start();
    symlinkSync("circle", join(s.base, "circle"));
    const workspace = open(level, { root: s.ws, homeDir: join(s.base, "circle") });
    await workspace.fs.write("plain", bytes("two"));
    expect(await readText(workspace, "plain")).toBe("two");
  });

  it("protects a home folder behind a link, equal to the root, or in a named root", async () => {
    const s = start();
    symlinkSync(s.home, join(s.base, "home-link"));
    const ways = [
      open(level, { root: s.ws, homeDir: join(s.base, "home-link") }),
      open(level, { root: s.home, homeDir: s.home }),
      open(level, { root: s.outside, roots: { home: { path: s.ws, access: "rw" } }, homeDir: s.home }),
    ];
    for (const workspace of ways)
      expect(await catchErrorCode(workspace.fs.write(join(s.home, ".bashrc"), bytes("evil")))).toBe(
        "READ_ONLY",
      );
  });

  it("requires consent for settings that start programs, at any depth", async () => {
    const s = start();
    symlinkSync(".vscode", join(s.ws, "v"));
    s.put("ws/staged/tasks.json", "evil");
    for (const change of [
      s.fs.write(".vscode/tasks.json", bytes("evil")),
      s.fs.write(".VSCODE/tasks.json", bytes("evil")),
      s.fs.write("v/new.json", bytes("evil")),
      s.fs.write("packages/a/.envrc", bytes("evil")),
      s.fs.write(".claude/settings.json", bytes("evil")),
      s.fs.append(".envrc", bytes("evil")),
      s.fs.mkdirp(".devcontainer"),
      s.fs.write("mise.dev.toml", bytes("evil")),
      s.fs.write("mise/config.toml", bytes("evil")),
      s.fs.write(".helix/languages.toml", bytes("evil")),
      s.fs.write("a/.vim/coc-settings.json", bytes("evil")),
      s.fs.remove(".envrc"),
      s.fs.rename(".vscode/tasks.json", "tasks.json"),
      s.fs.rename("staged/tasks.json", ".mcp.json"),
      s.fs.rename("staged", ".cursor"),
      s.fs.check!(".vscode/tasks.json", "write"),
    ]) {
      expect(await catchErrorCode(change)).toBe("CONSENT_NEEDED");
    }
    expect(await readText(s.workspace, ".vscode/tasks.json")).toBe("{}");
    expect(await catchFailure(s.fs.write("v/new.json", bytes("")))).toMatchObject({
      details: { place: join(s.ws, ".vscode/new.json") },
    });
    expect(existsSync(join(s.ws, "packages"))).toBe(false);
  });

  it.each([
    ".github/hooks/a.json",
    ".github/extensions/x/index.js",
    ".github/agents/x.agent.md",
    ".github/mcp.json",
    ".github/copilot/settings.local.json",
    ".agents/plugins/marketplace.json",
    ".agents/skills/x/agents/openai.yaml",
    ".pi/extensions/x.ts",
    ".pi/settings.json",
    ".openclaw/openclaw.json",
    "sub/.clinerules/hooks/TaskStart",
    ".cline/hooks/x",
    ".copilot/config.json",
    ".amp/settings.json",
    ".augment/settings.json",
    ".openhands/setup.sh",
    ".theia/tasks.json",
    ".lsp.json",
    "haft.config.mjs",
    ".Rprofile",
    ".pdbrc",
    ".irbrc",
    ".pryrc",
    ".ctags.d/x.ctags",
    ".yarnrc.yml",
    ".hg/hgrc",
    ".jj/repo/config.toml",
  ])("requires consent for %s", async (path) => {
    const s = start();
    expect(await catchErrorCode(s.fs.write(path, bytes("evil")))).toBe("CONSENT_NEEDED");
  });

  it.each([
    ".github/workflows/ci.yml",
    ".github/CODEOWNERS",
    ".clinerules/style.md",
    ".agents/skills/x/SKILL.md",
  ])("allows changing %s", async (path) => {
    const s = start();
    expect(await s.fs.write(path, bytes("x"))).toMatchObject({ created: true });
  });

  it("treats a root with such a name as settings, and projects below it as ordinary", async () => {
    const s = start();
    s.put("ws/.claude/worktrees/a/src/a.ts", "one");
    const roots = { vs: { path: join(s.ws, ".vscode"), access: "rw" } } as const;
    const named = open(level, { root: s.outside, roots });
    expect(await catchErrorCode(named.fs.write("vs:tasks.json", bytes("evil")))).toBe("CONSENT_NEEDED");
    const main = open(level, { root: join(s.ws, ".vscode") });
    expect(await catchErrorCode(main.fs.write("new.json", bytes("evil")))).toBe("CONSENT_NEEDED");
    const worktree = open(level, { root: join(s.ws, ".claude/worktrees/a") });
    await worktree.fs.write("src/a.ts", bytes("two"));
    expect(await catchErrorCode(worktree.fs.write(".envrc", bytes("evil")))).toBe("CONSENT_NEEDED");
    const beside = { tree: { path: join(s.ws, ".claude/worktrees/a"), access: "rw" } } as const;
    const both = open(level, { root: s.home, roots: beside, homeDir: s.outside });
    await both.fs.write("tree:src/a.ts", bytes("three"));
  });

  it("explains why a path is read-only", async () => {
    const s = start({ readOnly: ["**/.git", "**/fixed"] });
    s.put("ws/.git/config", "");
    const git = await catchFailure(s.fs.write(".git/config", bytes("x")));
    expect(git).toMatchObject({ code: "READ_ONLY", fix: expect.stringContaining("Let git make the change") });
    const other = await catchFailure(s.fs.write("fixed", bytes("x")));
    expect(`${other.message} ${other.fix}`).not.toMatch(/\bgit\b/);
    expect(other.fix).toContain("user");
  });

  it("limits consent to the named path and its folders", async () => {
    const s = start();
    const agreed = s.workspace.withConsent!([join(s.ws, "sub/.claude/a.json")]);
    await agreed.fs.write("sub/.claude/a.json", bytes("one"));
    expect(await catchErrorCode(agreed.fs.write("sub/.claude/b.json", bytes("two")))).toBe("CONSENT_NEEDED");
    expect(await catchErrorCode(agreed.fs.write(".vscode/tasks.json", bytes("two")))).toBe("CONSENT_NEEDED");
    expect(await catchErrorCode(agreed.fs.write("home/.bashrc", bytes("two")))).toBe("READ_ONLY");
    expect(await catchErrorCode(s.fs.write("sub/.claude/a.json", bytes("two")))).toBe("CONSENT_NEEDED");
  });

  it("allows replacing both lists", async () => {
    const s = start({ startFiles: [], projectSettings: ["**/special"] });
    await s.fs.write("home/.bashrc", bytes("two"));
    await s.fs.write(".vscode/tasks.json", bytes("two"));
    expect(await catchErrorCode(s.fs.write("a/special", bytes("x")))).toBe("CONSENT_NEEDED");
  });

  it("rejects changes of named code, and of links to it", async () => {
    const s = start();
    s.put("ws/node_modules/@x/a/dist/lazy.js", "one");
    const workspace = open(level, { root: s.ws, code: () => [join(s.ws, "node_modules/@x")] });
    for (const change of [
      workspace.fs.write("node_modules/@x/a/dist/lazy.js", bytes("evil")),
      workspace.fs.write("node_modules/@x/node_modules/b/index.js", bytes("evil")),
      workspace.fs.remove("node_modules/@x/a/dist/lazy.js"),
    ])
      expect(await catchErrorCode(change)).toBe("READ_ONLY");
    expect(await catchErrorCode(workspace.fs.rename("node_modules", "nm"))).toBe("READ_ONLY");
    await workspace.fs.write("node_modules/other/index.js", bytes("two"));
  });

  it("denies closed paths under every name, except to roots that were added", async () => {
    const s = start();
    s.put("ws/tmp/haft-spool-aaaaaa/r.txt", "mine");
    s.put("ws/tmp/haft-spool-bbbbbb/r.txt", "theirs");
    symlinkSync("tmp/haft-spool-bbbbbb", join(s.ws, "l"));
    const closed = [join(s.ws, "tmp/haft-spool-??????")];
    const workspace = open(level, { root: s.ws, closed }).withRoot!(
      "spool",
      join(s.ws, "tmp/haft-spool-aaaaaa"),
    );
    expect(await readText(workspace, "spool:r.txt")).toBe("mine");
    for (const path of ["tmp/haft-spool-bbbbbb/r.txt", "l/r.txt"]) {
      expect(await catchErrorCode(workspace.fs.read(path))).toBe("PATH_DENIED");
      expect(await catchErrorCode(workspace.fs.write(path, bytes("x")))).toBe("PATH_DENIED");
    }
    expect(() => workspace.withRoot!("spool", s.home)).toThrow("a root with this name exists");
  });
});
