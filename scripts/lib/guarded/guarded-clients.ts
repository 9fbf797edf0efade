import { claude } from "./agents/claude.ts";
import { codex, codexCode, codexUnknown } from "./agents/codex.ts";
import { copilot } from "./agents/copilot.ts";
import { gemini } from "./agents/gemini.ts";
import { openclaw } from "./agents/openclaw.ts";
import { opencode } from "./agents/opencode.ts";
import { pi } from "./agents/pi.ts";
import type { GuardedClient } from "./guarded-client.ts";

/** All tried clients: three entries for Codex, whose model name decides its tools. */
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
