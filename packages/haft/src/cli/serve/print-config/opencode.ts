import { type ClientConfig, commands, file, json } from "./printed.ts";

const OWN_TOOLS = ["bash", "read", "edit", "glob", "grep", "list"];

/** opencode: its own tools go when they are denied. */
export const opencodeConfig: ClientConfig = ({ command, args, env }) => [
  "Add Haft, for you in all projects, and take opencode's own tools for files and commands away (edit is write and patch, too). This goes into ~/.config/opencode/opencode.json, or into opencode.json of one project. The workspace is the folder in which opencode is started, unless you said --workspace:",
  file(
    "json",
    "~/.config/opencode/opencode.json",
    json({
      $schema: "https://opencode.ai/config.json",
      mcp: {
        haft: {
          type: "local",
          command: [command, ...args],
          enabled: true,
          ...(Object.keys(env).length > 0 && { environment: env }),
        },
      },
      permission: Object.fromEntries(OWN_TOOLS.map((name) => [name, "deny"])),
    }),
  ),
  "Is it there? (This starts it.)",
  commands("check", "opencode mcp list"),
  "Take these lines away again, and all is as it was.",
];
