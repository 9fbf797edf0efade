import { claude } from "./agents/claude.ts";
import { codex, codexCode, codexUnknown } from "./agents/codex.ts";
import { copilot } from "./agents/copilot.ts";
import { gemini } from "./agents/gemini.ts";
import { openclaw } from "./agents/openclaw.ts";
import { opencode } from "./agents/opencode.ts";
import { pi } from "./agents/pi.ts";
import type { GuardedClient } from "./guarded-client.ts";

/** The clients that are tried with the guard. Codex three times, since the name of its model decides what it offers. */
export const guardedClients: readonly GuardedClient[] = [
  claude,
  codex,
  codexUnknown,
  codexCode,
  gemini,
  copilot,
  opencode,
  pi,
  openclaw,
];
