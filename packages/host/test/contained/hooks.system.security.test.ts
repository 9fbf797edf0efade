import type { ApprovalRequest } from "@haft/core";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { view } from "../../../../test/support/view.ts";
import { createHost } from "../../src/host/host.ts";

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const PLAIN = "#!/bin/sh\nexit 0\n";
const HUSKY_STUB = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"';
/** What husky 9.1.7 does in its file `h`, without its messages. */
const HUSKY_H = `n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n
[ ! -f "$s" ] && exit 0
sh -e "$s" "$@"
`;

interface Fixture {
  root: string;
  mark: string;
  put(path: string, text: string, mode?: number): void;
  git(...args: string[]): void;
}

function createFixture(): Fixture & { stateDir: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-hooks-")));
  folders.push(folder);
  const root = join(folder, "work");
  mkdirSync(root);
  const mark = join(folder, "MARK");
  const git = (...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
      cwd: root,
      env: { ...process.env, MARK: mark },
      stdio: "pipe",
    });
  };
  git("init", "-q", "-b", "main");
  const put = (path: string, text: string, mode = 0o755): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode });
  };
  put("README.md", "x\n", 0o644);
  git("add", ".");
  git("commit", "-qm", "first");
  return { root, mark, stateDir: join(folder, "state"), put, git };
}

function husky(fixture: Fixture): void {
  fixture.git("config", "core.hooksPath", ".husky/_");
  for (const name of ["pre-commit", "commit-msg"]) fixture.put(`.husky/_/${name}`, HUSKY_STUB);
  fixture.put(".husky/_/h", HUSKY_H);
}

const CASES: [name: string, victim: string, setUp: (fixture: Fixture) => void, isThere: boolean][] = [
  ["core.hooksPath", ".githooks/pre-commit", (one) => one.git("config", "core.hooksPath", ".githooks"), true],
  ["husky 8", ".husky/pre-commit", (one) => one.git("config", "core.hooksPath", ".husky"), true],
  ["husky 9", ".husky/pre-commit", husky, true],
  ["husky 9 without that hook", ".husky/pre-commit", husky, false],
  [
    "an included file",
    ".githooks/pre-commit",
    (one) => {
      one.put("shared.gitconfig", "[core]\n\thooksPath = .githooks\n", 0o644);
      one.git("config", "include.path", "../shared.gitconfig");
    },
    true,
  ],
  [
    "a script that a hook starts",
    "tools/check.sh",
    (one) =>
      one.put(".git/hooks/pre-commit", '#!/bin/sh\n. "$(git rev-parse --show-toplevel)/tools/check.sh"\n'),
    true,
  ],
  [
    "a script that a hook starts once it is there",
    "tools/local.sh",
    (one) =>
      one.put(".git/hooks/pre-commit", "#!/bin/sh\n[ -x tools/local.sh ] && ./tools/local.sh\nexit 0\n"),
    false,
  ],
  [
    "a script that a hook starts in a substitution",
    "s/list.sh",
    (one) => one.put(".git/hooks/pre-commit", '#!/bin/sh\nFILES=$(./s/list.sh)\necho "$FILES"\n'),
    true,
  ],
  [
    "a script that a hook starts in another folder",
    "s/list",
    (one) => one.put(".git/hooks/pre-commit", "#!/bin/sh\n[ -d s ] && cd s && ./list\nexit 0\n"),
    false,
  ],
  [
    "a program of core.fsmonitor that does not exist",
    "tools/fsm",
    (one) => one.git("config", "core.fsmonitor", "tools/fsm"),
    false,
  ],
  [
    "a program of a filter that does not exist",
    "tools/f.sh",
    (one) => {
      one.git("config", "filter.x.clean", "sh tools/f.sh");
      one.put(".gitattributes", "* filter=x\n", 0o644);
    },
    false,
  ],
  [
    "a hook that is a link",
    "tools/hook",
    (one) => symlinkSync("../../tools/hook", join(one.root, ".git/hooks/pre-commit")),
    true,
  ],
];

describe.skipIf(!view.available)("files that the user's next commit runs", () => {
  test.each(CASES)(
    "%s: no tool and no command changes it without approval",
    async (_, victim, setUp, isThere) => {
      const { root, mark, stateDir, put, git } = createFixture();
      if (isThere) put(victim, PLAIN);
      setUp({ root, mark, put, git });
      const requests: ApprovalRequest[] = [];
      const host = await createHost({
        workspaceDir: root,
        stateDir,
        policy: { exec: { preset: "contained" } },
        administratorPolicy: false,
        approver: {
          ask: async (request) => {
            requests.push(request);
            return { decision: "deny" };
          },
        },
      });
      try {
        const session = await host.openSession();
        const call = (name: string, args: Record<string, unknown>) => session.call({ name, arguments: args });
        const evil = '#!/bin/sh\necho ran >> "$MARK"\n';
        const begin = isThere
          ? `*** Update File: ${victim}\n@@\n-exit 0\n+echo ran >> "$MARK"`
          : `*** Add File: ${victim}\n+x`;
        const tools: [string, Record<string, unknown>][] = [
          ["write", { path: victim, content: evil }],
          ["apply_patch", { input: `*** Begin Patch\n${begin}\n*** End Patch` }],
          [
            "apply_patch",
            {
              input: `*** Begin Patch\n*** Update File: README.md\n*** Move to: ${victim}\n@@\n-x\n+y\n*** End Patch`,
            },
          ],
          ...(isThere
            ? [
                ["edit", { path: victim, oldText: "exit 0", newText: 'echo ran >> "$MARK"' }] as [
                  string,
                  object,
                ],
                ["apply_patch", { input: `*** Begin Patch\n*** Delete File: ${victim}\n*** End Patch` }] as [
                  string,
                  object,
                ],
              ]
            : []),
        ] as [string, Record<string, unknown>][];
        for (const [name, args] of tools) {
          requests.length = 0;
          const outcome = await call(name, args);
          expect([name, outcome.kind]).toEqual([name, "blocked"]);
          expect([name, requests.length]).toEqual([name, 1]);
          expect(JSON.stringify(requests[0])).toContain("is run by git or by one of its hooks");
        }
        const command = `mkdir -p $(dirname ${victim}); printf '#!/bin/sh\\necho ran >> "$MARK"\\n' > ${victim}; chmod +x ${victim}; mv ${victim} x; cp x ${victim}; true`;
        await call("exec", { command });
        await call("exec", { command: "true" });
        expect((await call("read", { path: "README.md" })).kind).toBe("ok");
        expect(existsSync(join(root, victim)) ? readFileSync(join(root, victim), "utf8") : "none").toBe(
          isThere ? PLAIN : "none",
        );
      } finally {
        await host.close();
      }
      git("add", "-A");
      git("commit", "-q", "--allow-empty", "-m", "user");
      expect(existsSync(mark)).toBe(false);
    },
  );
});
