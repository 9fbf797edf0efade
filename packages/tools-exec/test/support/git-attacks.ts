import { symlinkSync } from "node:fs";
import type { gitSite } from "./git-site.ts";

type Site = Awaited<ReturnType<typeof gitSite>>;

/** A patch that adds a file of one line. */
export const patch = (path: string, mode: string, body: string): string =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${body}\n`;

/** What only file tools and a listed git do, line by line; nobody allows anything. */
export const ATTACKS: readonly (readonly [string, readonly string[], ((testSite: Site) => void)?])[] = [
  [
    "patches that name .git",
    ["git apply p1", "git apply p2", "git apply --index p3", "git apply -p0 p1", "git am p1", "git am m1"],
    ({ write }) => {
      write("p1", patch(".git/hooks/post-commit", "100755", "x"));
      write("p2", patch(".GIT/config", "100644", "x"));
      write("p3", patch("sub/../.git/hooks/x", "100755", "x"));
      write(
        "m1",
        `From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\nFrom: a <a@b.c>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\nSubject: x\n\n---\n${patch(".git/hooks/post-commit", "100755", "x")}--\n2\n`,
      );
    },
  ],
  [
    "a patch through a link that it makes",
    ["git apply p", "git apply q", "git add -A", "git apply q"],
    ({ write, outside }) => {
      write(
        "p",
        `diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+${outside}\n\\ No newline at end of file\n${patch("l/x", "100644", "x")}`,
      );
      write("q", patch("l/y", "100644", "x"));
    },
  ],
  [
    "a link that is there",
    [
      "git worktree add l/x",
      "git init l",
      "git bundle create l/x HEAD",
      "git -C l init",
      "git mv run.sh l/x",
      "git clone https://host.invalid/x l/y",
    ],
    ({ at, outside }) => symlinkSync(outside, at("l")),
  ],
  [
    "a bare repository of plain files",
    [
      "git -C evil log",
      "git -C evil status",
      "cd evil && git gc",
      "cd evil/refs && git status",
      "git -C evil worktree add x",
      "git clone evil x",
      "git clone --local ./evil x",
      "git upload-pack evil",
      "git receive-pack evil",
      "git-receive-pack evil",
      "git --git-dir evil status",
      "git fetch evil",
      "git pull evil main",
      "git ls-remote evil",
      "git archive --remote=evil HEAD",
      "git push evil HEAD:x",
      "git remote add e evil",
      "git submodule add ./evil x",
      "git bundle verify evil",
    ],
    ({ write, marker }) => {
      write("evil/HEAD", "ref: refs/heads/main\n");
      write(
        "evil/config",
        `[core]\n\tbare = true\n\tfsmonitor = id > ${marker};:\n\talternateRefsCommand = id > ${marker};:\n[uploadpack]\n\tpackObjectsHook = id > ${marker};:\n`,
      );
      write("evil/objects/info/alternates", "../../.git/objects\n");
      write("evil/refs/heads/.k", "");
      write("evil/hooks/pre-receive", `#!/bin/sh\nid > ${marker}\n`, 0o755);
    },
  ],
  [
    "a folder that is called like an address",
    [
      "git clone https://host.invalid/a x",
      "git clone git@host.invalid:a y",
      "git clone https://host.invalid/b z",
    ],
    ({ write, marker }) => {
      for (const folder of ["https:/host.invalid/a", "git@host.invalid:a", "https:/host.invalid/b.git"]) {
        write(`${folder}/HEAD`, "ref: refs/heads/main\n");
        write(`${folder}/config`, `[uploadpack]\n\tpackObjectsHook = id > ${marker};:\n`);
        write(`${folder}/objects/k`, "");
        write(`${folder}/refs/k`, "");
      }
    },
  ],
  [
    "addresses that are commands",
    [
      "git fetch 'ext::sh -c id'",
      "git clone 'ext::sh -c id' x",
      "git remote add x 'ext::sh -c id'",
      "git ls-remote 'fd::3'",
      "git pull 'ext::sh -c id' main",
      "git clone ssh://-oProxyCommand=id/x y",
      "git fetch -- --upload-pack=./evil",
      "git push --receive-pack=./evil https://host.invalid/a",
      "git fetch --upload-pa ./evil https://host.invalid/a",
    ],
  ],
  [
    "names outside the references",
    [
      "git branch ../../config",
      "git tag ../../hooks/post-commit",
      "git symbolic-ref config refs/heads/x",
      "git symbolic-ref hooks/post-commit refs/heads/x",
      "git notes --ref=../../config add -m x",
      "git update-ref hooks/x HEAD",
      "git checkout -b ../../hooks/x",
      "git stash store -m x ../x",
      "git worktree add -b ../../x wt",
      "git remote add ../../x https://host.invalid/a",
      "git remote add 'x\"]\n[core]' https://host.invalid/a",
      "git bisect start --term-new=../../../x",
    ],
  ],
  [
    "output to any file",
    [
      "git format-patch -1 --suffix=/../../OUT",
      "git format-patch -1 --suf=/../.git/hooks/post-commit",
      "git format-patch -1 -o ../x",
      "git log --output=../x",
      "git shortlog --outp=../x HEAD",
      "git show --output=.git/hooks/x",
      "git diff --output .git/config",
      "git archive -o ../x HEAD",
      "git archive --outp=../x HEAD",
      "git bundle create ../x HEAD",
      "git bundle create .git/hooks/post-commit HEAD",
      "git fast-export --export-marks=../x HEAD",
      "git mailsplit -o../x m",
      "git mailinfo ../a ../b",
      "git rev-list --output=../x HEAD",
      "git clone https://host.invalid/a a/../../x",
    ],
    ({ write }) => write("0001-first/k", ""),
  ],
  [
    "files from elsewhere",
    [
      "git diff --no-index / x",
      "git diff /etc/hostname run.sh",
      "git blame --contents /etc/hostname run.sh",
      "git grep --no-index root /etc",
      "git commit --allow-empty -F /etc/hostname",
      "git tag -a x -F ../home/.gitconfig",
      "git apply --build-fake-ancestor=.git/config p",
    ],
  ],
  [
    "programs by options",
    [
      "git rebase --exec ./evil HEAD",
      "git rebase -x./evil HEAD",
      "git rebase -ix ./evil HEAD",
      "git grep -O./evil x",
      "git grep --open-files-in=./evil x",
      "git grep -nO x",
      "git bisect run ./evil",
      "git difftool -x ./evil",
      "git mergetool",
      "git -c core.pager=./evil -p log",
      "git --exec-path=. log",
      "git --config-env=core.editor=PATH log",
      "git merge -s ./evil main",
      "git pull -s evil https://host.invalid/a",
      "git submodule foreach ./evil",
      "git filter-branch --tree-filter ./evil",
      "git send-email --smtp-server=./evil x",
      "git instaweb --httpd ./evil",
      "git archive --exec=./evil --remote=x HEAD",
      "git diff --ext-diff",
      "git cat-file --textconv HEAD:run.sh",
      "git help -w x",
      "git commit --help",
      "git interpret-trailers --trailer x",
      "git imap-send",
      "git credential fill",
      "git daemon",
      "git shell -c x",
      "git svn",
      "git p4",
      "git web--browse x",
      "git maintenance register",
    ],
    ({ write, marker }) => write("evil", `#!/bin/sh\nid > ${marker}\n`, 0o755),
  ],
  [
    "settings",
    [
      "git config core.fsmonitor ./evil",
      "git config --global core.pager ./evil",
      "git config --file ../x a.b c",
      "git branch --edit-description",
      "git replace --edit HEAD",
      "git sparse-checkout set a",
      "git init --template=tpl",
      "git init --separate-git-dir=meta",
      "git init --bare .",
      "git clone -c core.fsmonitor=./evil https://host.invalid/a",
      "git clone --template=tpl https://host.invalid/a",
      "git worktree repair",
      "GIT_SSH_COMMAND=./evil git fetch",
      "env GIT_DIR=evil git status",
      "git remote add x https://host.invalid/a -f",
    ],
  ],
  [
    "more places for a .git",
    [
      "git worktree add sub/.git/",
      "git worktree add './sub/./.git'",
      "git worktree add 'sub/.Git'",
      "git worktree add --no-checkout .git/modules/x",
      "git mv sub .git/x",
      "git init sub/.git",
      "git clone https://host.invalid/a .git/x",
      "git clone https://host.invalid/.git",
      "git read-tree --prefix=.git/ HEAD",
      "git checkout-index --prefix=.git/hooks/ -a",
      "git clean -ffdx",
      "git worktree move sub .git/x",
    ],
    ({ write, marker }) => {
      write("sub/config", `[core]\n\tfsmonitor = id > ${marker};:\n`);
      write("sub/HEAD", "ref: refs/heads/main\n");
    },
  ],
  [
    "several commands",
    [
      "git checkout -b t && git init ../x",
      "git stash && git -C sub init",
      "git status; git push ./evil",
      "git log | git apply --unsafe-paths",
      "git status || git -C / status",
      "nice git -C / status",
      "timeout 5 git push ./evil",
      "env LANG=C git init ../x",
    ],
  ],
];
