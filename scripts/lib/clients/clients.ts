import { claudeCode } from "./claude-code.ts";
import type { Client } from "./client.ts";
import { codex } from "./codex.ts";
import { copilotCli } from "./copilot-cli.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";

/** All tried clients, in fixed versions. */
export const clients: readonly Client[] = [claudeCode, codex, geminiCli, copilotCli, opencode, pi];
