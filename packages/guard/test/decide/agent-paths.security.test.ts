import { describe, expect, it } from "vitest";
import { isAlwaysDenied, line, claudeRead, write } from "../support.ts";

const HELD = [
  ".amp/settings.json",
  ".augment/settings.local.json",
  ".clinerules/hooks/TaskStart",
  ".openhands/setup.sh",
  ".github/mcp.json",
  ".claude/agents/review.md",
  "/home/ann/.claude/commands/deep/er.md",
  ".claude/skills/pdf/SKILL.md",
  "/home/ann/.claude/skills/a/b/SKILL.md",
  "/home/ann/.claude/remote-settings.json",
  ".claude/workflows/x.js",
  ".claude/launch.json",
  "/home/ann/.claude/statusline-command.sh",
  "/home/ann/.claude/shell-snapshots/snapshot-bash-1.sh",
  "/home/ann/.claude/local/node_modules/x/cli.js",
  ".lsp.json",
  "sub/.mcp.json",
  ".codex/config.toml",
  "/home/ann/.codex/work.config.toml",
  ".codex/agents/reviewer.toml",
  "/home/ann/.codex/rules/default.rules",
  "/home/ann/.codex/.env",
  ".codex/environments/environment.toml",
  ".codex/skills/x/agents/openai.yaml",
  ".agents/skills/x/agents/openai.yaml",
  ".agents/plugins/marketplace.json",
  ".gemini/settings.json",
  "/home/ann/.gemini/extensions/x/gemini-extension.json",
  "/home/ann/.gemini/trusted_hooks.json",
  ".gemini/commands/x.toml",
  "/home/ann/.gemini/policies/x.toml",
  ".gemini/agents/x.md",
  ".gemini/.env",
  ".gemini/sandbox.Dockerfile",
  ".cursor/mcp.json",
  "/home/ann/.cursor/mcp.json",
  "/home/ann/.cursor/cli-config.json",
  ".cursor/cli.json",
  ".cursor/environment.json",
  ".cursor/worktrees.json",
  "/home/ann/.cursor/extensions/x/extension.js",
  "/home/ann/.config/cursor/cli-config.json",
  "/home/ann/.config/Cursor/User/settings.json",
  ".vscode/mcp.json",
  "/home/ann/.copilot/mcp-config.json",
  "/home/ann/.copilot/lsp-config.json",
  "/home/ann/.copilot/permissions-config.json",
  "/home/ann/.copilot/agents/x.agent.md",
  "/home/ann/.copilot/installed-plugins/x/plugin.json",
  ".github/mcp.json",
  ".github/agents/x.agent.md",
  ".github/extensions/x/extension.mjs",
  ".github/copilot/settings.json",
  ".opencode/tool/x.ts",
  ".opencode/tools/x.ts",
  ".opencode/plugin/x.ts",
  ".opencode/package.json",
  ".opencode/agent/x.md",
  ".opencode/commands/x.md",
  "/home/ann/.config/opencode/tool/x.ts",
  "/home/ann/.config/opencode/config.json",
  "/home/ann/.config/mcp/mcp.json",
  "opencode.jsonc",
  ".pi/extensions/x.ts",
  ".pi/settings.json",
  "/home/ann/.pi/agent/extensions/x/index.ts",
  "/home/ann/.pi/agent/models.json",
  "/home/ann/.pi/agent/auth.json",
  "/home/ann/.pi/agent/git/host/x/index.ts",
  "/home/ann/.openclaw/hooks/x/handler.ts",
  "/home/ann/.openclaw/workspace/hooks/x/handler.ts",
  "/home/ann/.openclaw/exec-approvals.json",
  "/home/ann/shop/.openclaw/extensions/x/index.ts",
  "/etc/opencode/opencode.json",
  "node_modules/haft/package.json",
  "node_modules/haft/dist/index.js",
  "node_modules/@haft/store/dist/index.js",
  "/usr/lib/node_modules/haft/node_modules/yaml/index.js",
  "node_modules/.pnpm/@haft+store@1.0.0/node_modules/@haft/store/dist/index.js",
  "node_modules/.pnpm/haft@1.0.0_x/node_modules/yaml/index.js",
  "/opt/node/bin/node",
];

describe("files with programs, hooks and servers of agents", () => {
  it.each(HELD)("cannot be written: %s", async (path) => {
    expect(await isAlwaysDenied(write(path))).toBe(true);
    const edit = {
      ...write(path),
      tool_name: "Edit",
      tool_input: { file_path: path, old_string: "a", new_string: "b" },
    };
    expect(await isAlwaysDenied(edit)).toBe(true);
    for (const text of [
      `echo {} > ${path}`,
      `tee ${path} < x`,
      `cp /tmp/x ${path}`,
      `rm ${path}`,
      `touch ${path}`,
    ])
      expect([text, await isAlwaysDenied(line(text))]).toEqual([text, true]);
  });

  it.each(HELD)("can be read: %s", async (path) => {
    expect(await isAlwaysDenied(claudeRead(path))).toBe(false);
    for (const text of [`cat ${path}`, `grep -n x ${path}`, `git log -- ${path}`, `git -C sub diff ${path}`])
      expect([text, await isAlwaysDenied(line(text))]).toEqual([text, false]);
  });

  it.each([
    "/home/ann/.claude/plans/x.md",
    "/home/ann/.claude/projects/x/memory/MEMORY.md",
    ".claude/CLAUDE.md",
    ".claude/rules/style.md",
    ".claude/output-styles/x.md",
    ".claude/skills/pdf/scripts/fill.py",
    ".claude/worktrees/x/src/commands/a.ts",
    "/home/ann/.codex/sessions/x.jsonl",
    "/home/ann/.codex/prompts/x.md",
    "/home/ann/.codex/worktrees/1/shop/Cargo.toml",
    ".codex/skills/x/SKILL.md",
    ".agents/skills/x/SKILL.md",
    "/home/ann/.gemini/GEMINI.md",
    "/home/ann/.gemini/tmp/x/logs.json",
    ".cursor/rules/x.mdc",
    ".cursor/plans/x.md",
    "/home/ann/.copilot/session-state/x/plan.md",
    ".github/workflows/ci.yml",
    ".github/copilot-instructions.md",
    ".github/ISSUE_TEMPLATE/config.yml",
    ".opencode/plans/x.md",
    ".opencode/themes/x.json",
    ".pi/prompts/x.md",
    "/home/ann/.pi/agent/sessions/x.jsonl",
    "/home/ann/.openclaw/workspace/MEMORY.md",
    ".vscode/settings.json",
    "AGENTS.md",
    "CLAUDE.md",
    "src/hooks/use-mcp.ts",
    "src/commands/haft/index.ts",
    "packages/haft/src/x.ts",
    "node_modules/yaml/index.js",
    "node_modules/haftling/index.js",
    ".config/nvim/init.lua",
  ])("do not include similar paths: %s", async (path) => {
    expect(await isAlwaysDenied(write(path))).toBe(false);
    expect(await isAlwaysDenied(line(`cp /tmp/x ${path}`))).toBe(false);
  });

  it.each([
    ["CLAUDE_CONFIG_DIR", "/srv/c", "/srv/c/settings.json"],
    ["OPENCODE_CONFIG_DIR", "/srv/c/", "/srv/c/tools/x.ts"],
    ["OPENCODE_CONFIG", "/srv/oc.json", "/srv/oc.json"],
    ["XDG_CONFIG_HOME", "/srv/xdg", "/srv/xdg/opencode/tools/x.ts"],
    ["PI_CODING_AGENT_DIR", "/srv/pi", "/srv/pi/extensions/x.ts"],
    ["OPENCLAW_STATE_DIR", "/srv/claw", "/srv/claw/hooks/x/handler.ts"],
    ["OPENCLAW_CONFIG_PATH", "/srv/claw.json", "/srv/claw.json"],
    ["CURSOR_CONFIG_DIR", "/srv/cur", "/srv/cur/cli-config.json"],
    ["GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/srv/g.json", "/srv/g.json"],
  ])("are also at the path in %s", async (variable, value, path) => {
    const asked = { env: { [variable]: value } };
    expect(await isAlwaysDenied(write(path), "claude", asked)).toBe(true);
    expect(await isAlwaysDenied(line(`tee ${path} < x`), "claude", asked)).toBe(true);
    expect(await isAlwaysDenied(write(path))).toBe(false);
    expect(await isAlwaysDenied(write("/srv/other.json"), "claude", asked)).toBe(false);
  });
});
