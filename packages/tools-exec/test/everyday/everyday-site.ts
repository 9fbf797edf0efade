import { createMemoryApprovals, Registry, SessionFactory } from "@haft/core/kernel";
import { createPolicy, type PolicyConfig } from "@haft/policy";
import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createExecPlugin } from "../../src/index.ts";
import { LISTED } from "./everyday-lines.ts";

/** What would become of a line. */
export interface LineVerdict {
  line: string;
  /** It runs without a question. */
  runs: boolean;
  /** Why somebody is asked; `""` where nobody is. */
  why: string;
}

const FILES: Readonly<Record<string, string>> = {
  "package.json": '{"name":"demo","version":"1.0.0","scripts":{"test":"true"}}\n',
  "README.md": "# Demo\n\nTODO: say more\n",
  "a.txt": "a\n",
  "b.txt": "b\n",
  "old-1.txt": "1\n",
  "build.log": "done\n",
  "data.csv": "n,v\na,1\n",
  "run.sh": "echo run\n",
  Makefile: "test:\n\ttrue\n",
  "src/index.ts": "export const a = 1; // TODO\n",
  "src/lib/tool.ts": "export const b = 2;\n",
  "tests/test_a.py": "def test_a(): pass\n",
  "scripts/gen.py": "print(1)\n",
  "dist/index.js": "console.log(1);\n",
};

const CAREFUL: PolicyConfig = { exec: { preset: "careful", allow: [...LISTED] } };

/**
 * A small project in a repository of git, by default with the list of a careful user. Programs that this machine lacks are there as
 * empty files: nothing of a line is run, it is only decided.
 */
export async function everydaySite(config = CAREFUL) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-everyday-")));
  const [root, home, bin] = ["project", "home", "bin"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, bin, join(root, "archive"), join(root, "build")])
    mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
  const set = { HOME: home, USER: "ada", GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: string[]): unknown =>
    execFileSync("git", args, { cwd: root, env: { PATH: process.env["PATH"], ...set } });
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  for (const name of [...LISTED, "echo", "env", "xargs"]) {
    if (!["/usr/bin", "/bin"].some((folder) => existsSync(join(folder, name))))
      writeFileSync(join(bin, name), "", { mode: 0o755 });
  }
  const files = createHostWorkspace({ root });
  const processes = createHostProcesses({
    workspace: files,
    stateFolder: join(base, "state"),
    startedBy: "host",
    environment: { from: { PATH: `/usr/bin:/bin:${bin}` }, set },
  });
  const plugin = createExecPlugin();
  const registry = new Registry({ plugins: [plugin], builtIn: [plugin.id] });
  const policy = createPolicy(config, { tools: await registry.survey(console) });
  const factory = new SessionFactory({
    registry,
    policy,
    approver: { ask: async () => "deny" },
    approvals: createMemoryApprovals(),
  });
  const session = await factory.open({
    kind: "main",
    sessionKey: "main",
    workspace: { ...files, processes },
  });
  return {
    root,
    session,
    async judge(line: string): Promise<LineVerdict> {
      const { verdict, reason } = await session.explain("exec", { command: line });
      return { line, runs: verdict === "runs", why: verdict === "runs" ? "" : reason };
    },
    async close(): Promise<void> {
      await processes.close({ graceMs: 0 });
      rmSync(base, { recursive: true, force: true });
    },
  };
}
