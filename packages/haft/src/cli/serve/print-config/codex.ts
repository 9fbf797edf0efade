import { type ClientConfig, commands, file } from "./printed.ts";

/** Codex: its shell is a feature that can be disabled; its apply_patch belongs to the model, and is held by its sandbox. */
export const codexConfig: ClientConfig = ({ command, args, env }) => [
  "Add Haft, for you in all projects: this goes to the end of ~/.codex/config.toml. The workspace is the folder in which Codex is started, unless you said --workspace. Haft decides about each call, so Codex need not ask about its tools:",
  file(
    "toml",
    "~/.codex/config.toml",
    [
      "[mcp_servers.haft]",
      `command = ${text(command)}`,
      `args = [${args.map(text).join(", ")}]`,
      `default_tools_approval_mode = "approve"`,
      "# Without this, Codex does not wait for it, and a model that calls soon has no such tools.",
      "required = true",
      "startup_timeout_sec = 30",
      ...(Object.keys(env).length === 0
        ? []
        : [
            "",
            "[mcp_servers.haft.env]",
            ...Object.entries(env).map(([name, value]) => `${name} = ${text(value)}`),
          ]),
    ].join("\n"),
  ),
  "Take Codex's own tools for commands and pictures away:",
  commands(
    "add",
    "codex features disable shell_tool",
    "codex features disable unified_exec",
    "codex features disable view_image",
  ),
  "Its apply_patch cannot be taken away: models that know it are always offered it. Start Codex with its read-only sandbox, in which apply_patch changes nothing unless you allow it when Codex asks; Haft runs outside of that, by its own rules. (With --ask-for-approval never Codex also declines what Haft asks, and haft approvals answers.)",
  commands("start", "codex --sandbox read-only --ask-for-approval on-request"),
  "For some models Codex hides all tools of MCP servers behind its tool search, and there is no setting that keeps it from that: such a model has to look for them first.",
  "Is it there? (This shows the settings and starts nothing; /mcp in Codex shows the tools.)",
  commands("check", "codex mcp get haft"),
  "Take it away again:",
  commands(
    "remove",
    "codex mcp remove haft",
    "codex features enable shell_tool",
    "codex features enable unified_exec",
    "codex features enable view_image",
  ),
];

/** A string of TOML: what JSON has, but for the characters that JSON leaves as they are. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll("\u007F", "\\u007F");
}
