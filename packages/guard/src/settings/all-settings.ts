import type { AgentSettings } from "./agent-settings.ts";
import { claudeSettings } from "./claude.ts";
import { codexSettings } from "./codex.ts";
import { copilotSettings } from "./copilot.ts";
import { cursorSettings } from "./cursor.ts";
import { geminiSettings } from "./gemini.ts";
import { openclawSettings } from "./modules/openclaw.ts";
import { opencodeSettings } from "./modules/opencode.ts";
import { piSettings } from "./modules/pi.ts";

/**
 * Contains the settings of all agents, by id.
 *
 * @example
 * ```ts run
 * import { allSettings } from "@haft/guard/internal/agents";
 * allSettings.get("claude")?.file({ home: "/home/me", env: {} }); // => "/home/me/.claude/settings.json"
 * ```
 */
export const allSettings: ReadonlyMap<string, AgentSettings> = new Map(
  [
    claudeSettings,
    codexSettings,
    geminiSettings,
    copilotSettings,
    cursorSettings,
    opencodeSettings,
    piSettings,
    openclawSettings,
  ].map((settings) => [settings.id, settings]),
);
