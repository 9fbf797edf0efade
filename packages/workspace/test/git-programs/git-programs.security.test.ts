import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHostWorkspace } from "../../src/files/host-workspace.ts";
import { bytes, catchErrorCode, catchFailure, site } from "../support.ts";
import { type Repository, repository } from "./support.ts";

/** The files that husky 9.1.7 writes. */
const HUSKY_STUB = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"';
const HUSKY_H = `#!/usr/bin/env sh
[ "$HUSKY" = "2" ] && set -x
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n

[ ! -f "$s" ] && exit 0

if [ -f "$HOME/.huskyrc" ]; then
	echo "husky - '~/.huskyrc' is DEPRECATED, please move your code to ~/.config/husky/init.sh"
fi
i="\${XDG_CONFIG_HOME:-$HOME/.config}/husky/init.sh"
[ -f "$i" ] && . "$i"

[ "\${HUSKY-}" = "0" ] && exit 0

export PATH="node_modules/.bin:$PATH"
sh -e "$s" "$@"
c=$?
exit $c
`;

function husky(r: Repository): void {
  r.git("config", "core.hooksPath", ".husky/_");
  for (const hook of ["pre-commit", "commit-msg", "post-commit"]) r.script(`.husky/_/${hook}`, HUSKY_STUB);
  r.file(".husky/_/h", HUSKY_H);
}

/** What makes a commit run a file: how it is set up, and the file. With `isThere: false` it does not exist before. */
const STARTED: [name: string, victim: string, setUp: (r: Repository) => void, isThere?: false][] = [
  ["hooksPath", ".githooks/pre-commit", (r) => r.git("config", "core.hooksPath", ".githooks")],
  [
    "hooksPath, a new hook",
    ".githooks/pre-commit",
    (r) => r.git("config", "core.hooksPath", ".githooks"),
    false,
  ],
  [
    "hooksPath with another case",
    ".githooks/pre-commit",
    (r) => r.git("config", "CORE.HOOKSPATH", ".githooks/"),
  ],
  [
    "an absolute hooksPath",
    "tools/h/pre-commit",
    (r) => r.git("config", "core.hooksPath", join(r.root, "tools/h")),
  ],
  ["the working tree as the folder of hooks", "pre-commit", (r) => r.git("config", "core.hooksPath", r.root)],
  ["husky 4 to 8", ".husky/pre-commit", (r) => r.git("config", "core.hooksPath", ".husky")],
  ["husky 9", ".husky/pre-commit", husky],
  ["husky 9, a new hook", ".husky/pre-commit", husky, false],
  ["husky 9, its helper script", ".husky/_/h", husky],
  [
    "husky 9, a file that the hook starts",
    "scripts/check.sh",
    (r) => {
      husky(r);
      r.file(".husky/pre-commit", "./scripts/check.sh\n");
    },
  ],
  [
    "the user's settings",
    ".githooks/pre-commit",
    (r) => r.git("config", "--global", "core.hooksPath", ".githooks"),
  ],
  [
    "the user's settings in .config",
    ".githooks/pre-commit",
    (r) => r.file(join(r.home, ".config/git/config"), "[core]\n\thooksPath = .githooks\n"),
  ],
  [
    "an included file of the user",
    ".githooks/pre-commit",
    (r) => {
      r.file(join(r.home, "more"), "[core]\nhooksPath=.githooks");
      r.git("config", "--global", "include.path", "more");
    },
  ],
  [
    "a file that is included on a condition",
    ".githooks/pre-commit",
    (r) => {
      r.file(join(r.home, "work"), "[core]\nhooksPath=.githooks");
      r.git("config", "--global", `includeIf.gitdir:${r.root}/.path`, "work");
    },
  ],
  [
    "an included file of the repository",
    ".githooks/pre-commit",
    (r) => {
      r.file("settings/git", "[core]\nhooksPath=.githooks");
      r.git("config", "include.path", "../settings/git");
    },
  ],
  [
    "settings of the working tree",
    ".githooks/pre-commit",
    (r) => {
      r.git("config", "extensions.worktreeConfig", "true");
      r.git("config", "--worktree", "core.hooksPath", ".githooks");
    },
  ],
  ["a hook that is a link", "scripts/hook", (r) => r.link(".git/hooks/pre-commit", "../../scripts/hook")],
  [
    "a hook that is a dangling link",
    "scripts/hook",
    (r) => r.link(".git/hooks/pre-commit", "../../scripts/hook"),
    false,
  ],
  [
    "a folder of hooks that is a link",
    "tooling/pre-commit",
    (r) => {
      r.file("tooling/x");
      r.link(".githooks", "tooling");
      r.git("config", "core.hooksPath", ".githooks");
    },
  ],
  ...(
    [
      ["sources a file beside it", '. "$(dirname "$0")/../../lib/common.sh"', "lib/common.sh"],
      ["sources a file of the tree", ". ./lib/common.sh", "lib/common.sh"],
      [
        "finds the tree by git",
        'root="$(git rev-parse --show-toplevel)"\n"$root/tools/check"',
        "tools/check",
      ],
      [
        "finds the tree by git at once",
        'exec "$(git rev-parse --show-toplevel)"/tools/check "$@"',
        "tools/check",
      ],
      [
        "finds the tree by cd",
        'D=$(cd "$(dirname "$0")/../.." && pwd)\nsh "${D}/tools/check"',
        "tools/check",
      ],
      ["uses a variable that is not known", "D=`pwd`/tools; [ -x $D/check ] && $D/check", "tools/check"],
      ["starts it by a shell", "sh tools/check", "tools/check"],
      ["starts it if it is there", "if [ -x tools/local.sh ]; then tools/local.sh; fi", "tools/local.sh"],
      ["starts all of a folder", 'for one in .hooks.d/*; do "$one"; done', ".hooks.d/x"],
      ["starts it over another one", "sh tools/one", "tools/two"],
      ["starts it in a substitution", "FILES=$(./s/list)", "s/list"],
      ["starts it in backticks", "FILES=`./s/list`", "s/list"],
      ["starts it in backticks of several lines", "FILES=`\n./s/list\n`", "s/list"],
      ["starts it in a quoted substitution", 'x="$(./s/list)"', "s/list"],
      ["starts it in an argument", "echo $(./s/list)", "s/list"],
      ["starts it in an exported variable", "export A=$(sh s/list)", "s/list"],
      ["starts it for a loop", "for i in $(./s/list); do :; done", "s/list"],
      ["starts it in a test", '[ "$(./s/list)" = x ] || true', "s/list"],
      ["starts it by $PWD in a substitution", 'F=$("$PWD/s/list")', "s/list"],
      ["starts it behind a pipe in a substitution", "F=$(git diff | ./s/list)", "s/list"],
      ["starts it in a substitution in a substitution", 'F=$(echo "$(echo `./s/list`)")', "s/list"],
      ["starts it in a substitution with brackets", "F=$( (./s/list) )", "s/list"],
      ["starts it as a default", "${CHECK:-./s/list}", "s/list"],
      ["evaluates it", 'eval "$(cat s/list.sh)"', "s/list.sh"],
      ["starts it behind cd", "cd s; ./list", "s/list"],
      ["starts it behind cd in brackets", "(cd s && sh list)", "s/list"],
      ["starts it behind cd to the tree", 'cd "$(git rev-parse --show-toplevel)/s"\n./list', "s/list"],
      ["starts it behind two cd", "cd s && cd t\n./list", "s/t/list"],
      ["starts it by a script behind cd", "cd s; sh ./one.sh", "s/two"],
      ["starts all of a folder by run-parts", "run-parts s/parts", "s/parts/x"],
      ["puts its folder in PATH", 'PATH="$PWD/s:$PATH" list', "s/list"],
      ["puts its folder in PATH for all", 'export PATH="$PATH:$PWD/s"\nlist', "s/list"],
      ["starts a folder by Node.js", "node ./s/c3", "s/c3/index.js"],
      ["starts a package by Node.js", "node s/c4", "s/c4/lib/main.js"],
      ["starts the package of the tree by Node.js", "node .", "lib/main.js"],
      ["starts the package of a folder by Node.js", "cd s/c4 && node . --check", "s/c4/lib/main.js"],
      ["starts a module by Python", "python3 -m s.c5", "s/c5.py"],
      ["starts a folder by Python", "python3 s/c6", "s/c6/__main__.py"],
      ["starts it by a path with a blank", '"./s/my list"', "s/my list"],
      ["starts it with a variable", "A=1 ./s/list", "s/list"],
      ["starts it by env", "/usr/bin/env A=1 ./s/list", "s/list"],
      ["starts it by timeout", "timeout 9 ./s/list", "s/list"],
    ] as const
  ).map(([what, line, victim]): (typeof STARTED)[number] => [
    `a hook that ${what}`,
    victim,
    (r) => {
      r.script(".git/hooks/pre-commit", `#!/bin/bash\n# a comment\n${line}\n`);
      r.script("tools/one", "#!/bin/sh\nexec tools/two\n");
      r.script("s/one.sh", "#!/bin/sh\nexec ./two\n");
      for (const folder of ["", "s/c4/"]) r.file(`${folder}package.json`, '{ "main": "lib/main" }');
    },
  ]),
  [
    "the settings name it",
    "tools/monitor",
    (r) => {
      r.git("config", "core.fsmonitor", "tools/monitor");
    },
  ],
  [
    "a filter",
    "tools/clean.sh",
    (r) => {
      r.git("config", "filter.x.clean", "sh tools/clean.sh %f");
      r.file(".gitattributes", "* filter=x\n");
    },
  ],
  // A file that a setting names before it exists.
  ...(
    [
      ["core.fsmonitor", "tools/monitor", "tools/monitor"],
      ["filter.x.clean", "sh tools/clean.sh %f", "tools/clean.sh"],
      ["filter.x.clean", "sh clean %f", "clean"],
      ["filter.x.clean", "A=1 ./tools/clean %f", "tools/clean"],
      ["filter.x.clean", "timeout 9 tools/clean %f", "tools/clean"],
      ["filter.x.clean", "cd tools && ./clean %f", "tools/clean"],
      ["filter.x.clean", "cat $(./tools/clean)", "tools/clean"],
    ] as const
  ).flatMap(([key, value, victim]) =>
    [[], ["--global"]].map((scope): (typeof STARTED)[number] => [
      `${key} ${scope.join("")} = ${value}, before it exists`,
      victim,
      (r) => {
        r.git("config", ...scope, key, value);
        r.file(".gitattributes", "* filter=x\n");
      },
      false,
    ]),
  ),
];

const hasPython =
  process.env["HAFT_REQUIRE_SERVICES"] === "1" || spawnSync("python3", ["--version"]).status === 0;

/** A program that leaves a mark. */
function marking(path: string): string {
  if (path.endsWith(".js")) return 'require("fs").appendFileSync(process.env.MARK, "ran");\n';
  if (path.endsWith(".py")) return 'import os\nopen(os.environ["MARK"], "a").write("ran")\n';
  return '#!/bin/sh\necho ran >> "$MARK"\n';
}

describe.each(STARTED)("%s", (_, victim, setUp, isThere = true as never) => {
  it("is run by a commit, and needs consent to change", async ({ skip }) => {
    skip(victim.endsWith(".py") && !hasPython, "There is no Python here.");
    const r = repository();
    if (isThere) r.script(victim);
    setUp(r);
    const options = { root: r.root, homeDir: r.home };
    const { fs, withConsent } = createHostWorkspace(options);
    const evil = bytes(marking(victim));
    const failure = await catchFailure(fs.write(victim, evil));
    expect(failure.code).toBe("CONSENT_NEEDED");
    expect(failure.message).toContain("git");
    r.file("mine", "#!/bin/sh\n");
    mkdirSync(join(r.root, dirname(victim)), { recursive: true });
    expect(await catchErrorCode(fs.rename("mine", victim, { replace: true }))).toBe("CONSENT_NEEDED");
    if (isThere) {
      expect(await catchErrorCode(fs.remove(victim))).toBe("CONSENT_NEEDED");
      expect(await catchErrorCode(fs.append(victim, evil))).toBe("CONSENT_NEEDED");
    }
    const { place } = failure.details as { place: string };
    await withConsent!([place]).fs.write(victim, evil, { permissions: 0o755 });
    chmodSync(join(r.root, victim), 0o755);
    const mark = join(dirname(r.root), "MARK");
    r.git("commit", "-q", "--allow-empty", "-m", "x");
    if (!existsSync(mark)) r.git("add", "-A");
    expect(readFileSync(mark, "utf8")).toContain("ran");
  });
});

it("needs consent in a linked working tree, a submodule, below a root in the tree, and for a root in it", async () => {
  const r = repository();
  r.git("config", "core.hooksPath", ".githooks");
  r.git("worktree", "add", "-q", "linked");
  const inner = site();
  r.gitIn(inner.ws, "init", "-q");
  r.gitIn(inner.ws, "commit", "-q", "--allow-empty", "-m", "x");
  r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.ws, "lib");
  r.gitIn(join(r.root, "lib"), "config", "core.hooksPath", "../shared-hooks");
  const { fs } = createHostWorkspace({ root: r.root, homeDir: r.home });
  for (const path of ["linked/.githooks/pre-commit", "shared-hooks/pre-commit"])
    expect(await catchErrorCode(fs.write(path, bytes("x")))).toBe("CONSENT_NEEDED");
  r.git("config", "core.hooksPath", "packages/app/.husky");
  mkdirSync(join(r.root, "packages/app"), { recursive: true });
  const below = createHostWorkspace({ root: join(r.root, "packages/app"), homeDir: r.home });
  expect(await catchErrorCode(below.fs.write(".husky/pre-commit", bytes("x")))).toBe("CONSENT_NEEDED");
  // The folder may not be moved out of the way either.
  mkdirSync(join(r.root, "packages/app/.husky"));
  expect(await catchErrorCode(fs.rename("packages", "elsewhere"))).toBe("READ_ONLY");
});

it("needs consent in a bare repository, and with a separate git folder", async () => {
  const r = repository();
  r.git("init", "-q", "--bare", "store.git");
  r.git("init", "-q", "--separate-git-dir", join(r.root, "apart"), "tree");
  const { fs } = createHostWorkspace({ root: r.root, homeDir: r.home });
  for (const path of [
    "store.git/hooks/post-receive",
    "store.git/config",
    "apart/hooks/pre-commit",
    "apart/config",
  ])
    expect(await catchErrorCode(fs.write(path, bytes("x")))).toBe("CONSENT_NEEDED");
});

it("detects settings that the user adds while the workspace is open", async () => {
  const r = repository();
  const { fs } = createHostWorkspace({ root: r.root, homeDir: r.home });
  await fs.write(".githooks/pre-commit", bytes("x"));
  r.git("config", "core.hooksPath", ".githooks");
  expect(await catchErrorCode(fs.write(".githooks/pre-commit", bytes("y")))).toBe("CONSENT_NEEDED");
  r.script(".githooks/pre-commit", "sh tools/new.sh\n");
  r.git("status", "--short");
  expect(await catchErrorCode(fs.write("tools/new.sh", bytes("y")))).toBe("CONSENT_NEEDED");
  r.git("config", "--unset", "core.hooksPath");
  await fs.write(".githooks/pre-commit", bytes("z"));
  r.git("config", "--global", "core.hooksPath", ".githooks");
  expect(await catchErrorCode(fs.write(".githooks/pre-commit", bytes("y")))).toBe("CONSENT_NEEDED");
});

it.each([
  [
    "lefthook",
    "lefthook run pre-commit",
    ["lefthook.yml", ".lefthook/pre-commit/x.sh", ".config/lefthook.yml"],
  ],
  ["pre-commit", "ARGS=(hook-impl --config=.pre-commit-config.yaml)", [".pre-commit-config.yaml"]],
  ["pre-commit with another file", "ARGS=(hook-impl --config=ci/hooks.yaml)", ["ci/hooks.yaml"]],
  [
    "lint-staged",
    "npx lint-staged",
    [".lintstagedrc", "packages/a/.lintstagedrc.json", "lint-staged.config.mjs"],
  ],
  ["lint-staged by a script", "npm run precommit", [".lintstagedrc.js"]],
  ["commitlint", "npx commitlint --edit", ["commitlint.config.js"]],
])("requires consent for files of %s only after a hook starts it", async (_, line, files) => {
  const r = repository();
  r.file("package.json", '{ "scripts": { "precommit": "lint-staged" } }');
  const { fs } = createHostWorkspace({ root: r.root, homeDir: r.home });
  for (const path of files) await fs.write(path, bytes("x"));
  r.script(".git/hooks/pre-commit", `#!/bin/sh\n${line}\n`);
  r.git("status", "--short");
  for (const path of files) expect(await catchErrorCode(fs.write(path, bytes("y")))).toBe("CONSENT_NEEDED");
});

it("requires consent for scripts that a file of a hook manager names", async () => {
  const r = repository();
  r.script(".git/hooks/pre-commit", "#!/bin/sh\nlefthook run pre-commit\n");
  r.file("lefthook.yml", "pre-commit:\n  commands:\n    x:\n      run: ./tools/check {staged_files}\n");
  r.script("tools/check");
  const { fs } = createHostWorkspace({ root: r.root, homeDir: r.home });
  expect(await catchErrorCode(fs.write("tools/check", bytes("y")))).toBe("CONSENT_NEEDED");
});

it("allows changing ordinary files, even if hooks name them", async () => {
  const r = repository();
  husky(r);
  r.file(
    ".husky/pre-commit",
    "npm test\nnpx eslint --cache-location node_modules/.cache/x src/**/*.ts\nnpm run build\n",
  );
  r.script(
    ".husky/_/commit-msg",
    "#!/bin/sh\ngit diff origin/main -- README.md src docs/guide.md > dist/report.txt\nnode_modules/.bin/tool\n" +
      "for f in $(git diff --name-only -- src docs/new.md | grep -v lib/data.json); do echo $f; done\n" +
      "cd packages/app && npm test -- $(git ls-files notes.md)\nTITLE=docs/title echo src/app\nnode --test spec/\n",
  );
  for (const folder of ["src/app", "packages/app/src", "spec"])
    mkdirSync(join(r.root, folder), { recursive: true });
  r.script("node_modules/.bin/tool");
  r.file("README.md");
  r.file("src/a.ts");
  const { fs } = createHostWorkspace({ root: r.root, homeDir: r.home });
  const ordinary =
    "README.md src/a.ts src/new/b.ts package.json docs/guide.md dist/report.txt scripts/x.sh node_modules/.bin/tool " +
    "node_modules/.cache/x test .pre-commit-config.yaml lefthook.yml docs/new.md lib/data.json notes.md docs/title " +
    "src/app/c.ts packages/app/src/d.ts packages/app/notes.md spec/e.ts";
  for (const path of ordinary.split(" ")) await fs.write(path, bytes("x"));
  expect((await fs.read(".husky/pre-commit")).bytes.length).toBeGreaterThan(0);
});

it("does not wait for pipes or devices in place of git's files", async () => {
  const r = repository();
  r.git("config", "core.hooksPath", ".githooks");
  mkdirSync(join(r.root, ".githooks"));
  execFileSync("mkfifo", [join(r.root, ".githooks/pre-commit"), join(r.root, ".git/config.worktree")]);
  r.link(".githooks/commit-msg", "/dev/zero");
  const { fs } = createHostWorkspace({ root: r.root, homeDir: r.home });
  expect(await catchErrorCode(fs.write(".githooks/pre-push", bytes("x")))).toBe("CONSENT_NEEDED");
  expect(existsSync(join(r.root, ".githooks/pre-push"))).toBe(false);
});

it("requires no consent if project settings are disabled", async () => {
  const r = repository();
  r.git("config", "core.hooksPath", ".githooks");
  const { fs } = createHostWorkspace({ root: r.root, homeDir: r.home, projectSettings: [] });
  expect(await fs.write(".githooks/pre-commit", bytes("x"))).toMatchObject({ created: true });
});
