import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Case, Metric, StartSubject, Suite } from "../suite.ts";
import { programCost } from "../work/child-cpu.ts";
import { installBuilt } from "../work/install-built.ts";

const COST: readonly Metric[] = [
  { key: "time", label: "time", unit: "time" },
  { key: "cpu", label: "CPU time", unit: "time" },
];
/** The system's ticks are coarse, so a sample has several runs. */
const RUNS = 20;
const RULES = 'deny: ["exec(rm *)", "write(path:secrets/**)"]\nask: ["exec(git push*)"]\n';

interface Asked {
  tool: string;
  input: object;
  rules: boolean;
}

/** The hook of agents' settings, without the shell. */
const hook =
  ({ tool, input, rules }: Asked): StartSubject =>
  (folder) => {
    // A path named like Haft would need closer inspection.
    const cwd = mkdtempSync(join(tmpdir(), "shop-"));
    const payload = {
      session_id: "s",
      cwd,
      hook_event_name: "PreToolUse",
      tool_name: tool,
      tool_input: input,
    };
    const words = [
      "--no-sparkplug",
      "--no-maglev",
      join(folder, "node_modules/haft/dist/guard-hook.cjs"),
      "claude",
      "PreToolUse",
      ...(rules ? ["--policy", join(folder, "rules.yaml")] : []),
    ];
    const options = { cwd, input: JSON.stringify(payload), env: environment(folder, `${tool}-${rules}`) };
    // Rules are read and code is compiled only once.
    programCost(process.execPath, words, { runs: 2, ...options });
    return {
      sample: () => programCost(process.execPath, words, { runs: RUNS, ...options }),
      close: () => rmSync(cwd, { recursive: true }),
    };
  };

const node: StartSubject = (folder) => ({
  sample: () => programCost(process.execPath, ["-e", "0"], { runs: RUNS, cwd: folder, input: "", env: {} }),
});

function environment(folder: string, name: string): Record<string, string> {
  const none = { HAFT_ADMIN_POLICY: "", HAFT_CONFIG: "", HAFT_POLICY: "", CLAUDE_PROJECT_DIR: "" };
  return { ...none, HOME: folder, XDG_CONFIG_HOME: folder, HAFT_STATE_DIR: join(folder, `state-${name}`) };
}

const asked = (name: string, call: Asked): Case => ({
  name,
  about: "One hook process, from start to end. limit: `node -e 0`.",
  metrics: COST,
  rounds: 5,
  subjects: { Haft: hook(call), limit: node },
});

export const suite: Suite = {
  name: "guard",
  title: "Hooks of coding agents",
  async prepare(fixtures) {
    writeFileSync(join(fixtures, "rules.yaml"), RULES);
    await installBuilt(fixtures);
  },
  cases: [
    asked("a call without rules", {
      tool: "Bash",
      input: { command: "npm test && ls" },
      rules: false,
    }),
    asked("a file with rules", {
      tool: "Read",
      input: { file_path: "/x/a.txt" },
      rules: true,
    }),
    asked("an edit with rules", {
      tool: "Edit",
      input: { file_path: "/x/a.txt", old_string: "a", new_string: "b" },
      rules: true,
    }),
    asked("a tool of an MCP server with rules", {
      tool: "mcp__github__list_issues",
      input: { repo: "a/b" },
      rules: true,
    }),
    asked("a command with rules", {
      tool: "Bash",
      input: { command: "npm test && ls" },
      rules: true,
    }),
    asked("a denied command with rules", {
      tool: "Bash",
      input: { command: "rm -rf build && ls" },
      rules: true,
    }),
  ],
};
