import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";

/** Names the native executable of Codex. */
const CODEX_VARIABLE = "HAFT_CODEX";

/**
 * The program that answers as `apply_patch`. Haft does not depend on it; who compares has it.
 *
 * @throws What to do, when it, or its sandbox, is not named or cannot be started.
 */
export function findCodex(): string {
  const program = process.env[CODEX_VARIABLE];
  const how =
    `Install @openai/codex in a folder outside of the repository (npm install @openai/codex), and name its native executable: ` +
    `${CODEX_VARIABLE}=…/node_modules/@openai/codex-*/vendor/*/bin/codex (the file, not the script of npm that starts it).`;
  if (program === undefined || program === "") throw new Error(`${CODEX_VARIABLE} is not set. ${how}`);
  try {
    accessSync(program, constants.X_OK);
  } catch (error) {
    throw new Error(`${CODEX_VARIABLE} names ${program}, which cannot be started. ${how}`, { cause: error });
  }
  if (spawnSync("bwrap", ["--version"]).status !== 0)
    throw new Error("bwrap cannot be started, and the program runs in a sandbox only. Install bubblewrap.");
  return program;
}
