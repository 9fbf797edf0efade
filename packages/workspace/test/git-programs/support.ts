import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { site } from "../support.ts";

export interface Repository {
  root: string;
  home: string;
  git(...args: string[]): string;
  gitIn(folder: string, ...args: string[]): string;
  /** A file of the working tree, executable. */
  script(path: string, text?: string): void;
  file(path: string, text?: string): void;
  link(path: string, target: string): void;
}

/** The folder `.git` of a repository with one commit, which all others are copies of: git itself takes several processes. */
let template: string | undefined;

export function repository(): Repository {
  const { base, ws: root } = site();
  const home = join(base, "home");
  mkdirSync(home);
  const gitIn = (folder: string, ...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1", MARK: join(base, "MARK") },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const git = (...args: string[]): string => gitIn(root, ...args);
  if (template === undefined) {
    git("init", "-q", "-b", "main", "--template=");
    git("commit", "-q", "--allow-empty", "-m", "first");
    mkdirSync(join(root, ".git/hooks"));
    template = mkdtempSync(join(tmpdir(), "haft-repository-"));
    process.once("exit", () => rmSync(template!, { recursive: true, force: true }));
    cpSync(join(root, ".git"), template, { recursive: true });
  } else cpSync(template, join(root, ".git"), { recursive: true });
  const file = (path: string, text = ""): void => {
    const at = path.startsWith("/") ? path : join(root, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text);
  };
  const script = (path: string, text = "#!/bin/sh\n"): void => {
    file(path, text);
    chmodSync(path.startsWith("/") ? path : join(root, path), 0o755);
  };
  return {
    root,
    home,
    git,
    gitIn,
    file,
    script,
    link: (path, target) => symlinkSync(target, join(root, path)),
  };
}
