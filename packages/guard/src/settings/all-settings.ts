import type { AgentSettings } from "./agent-settings.ts";
import { claudeSettings } from "./claude.ts";
import { codexSettings } from "./codex.ts";
import { copilotSettings } from "./copilot.ts";
import { cursorSettings } from "./cursor.ts";
import { geminiSettings } from "./gemini.ts";
import { openclawSettings } from "./modules/openclaw.ts";
import { opencodeSettings } from "./modules/opencode.ts";
import { piSettings } from "./modules/pi.ts";

/** The settings of all agents, by their ids. */
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
