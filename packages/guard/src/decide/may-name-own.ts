import { basename } from "node:path";
import type { OwnPlaces } from "./own-places.ts";

/** Parts of names that nobody else has a use for; a name in quotes is the same name. */
const NAMES =
  /haft|guard-hook|\.claude|\.mcp\.json|\.codex|\.gemini|\.cursor|\.copilot|\.github|opencode|\.pi(?:\W|$)|\.openclaw|\/etc(?:\W|$)|claudecode|\.config/i;
/** What takes a folder with all that is in it, by whatever name. */
const TAKES = /(?:^|[^\w.-])(?:rm|mv|rmdir|unlink|shred|trash|ln|chmod|chown|rsync|find)(?![\w-])/;
/** A name of which a part is left to the shell. */
const HIDDEN = /\.[\w-]*[*?[{]|[*?\]}]\w*(?:aude|odex|mini|rsor|pilot|code|haft|claw)/i;

/**
 * Whether a command line could be about what is nobody's to change, going by its text. Where it could, it is taken apart; this alone
 * decides nothing.
 */
export function mayNameOwn({ text, cwd }: { text: string; cwd: string }, { own, env }: OwnPlaces): boolean {
  const plain = `${text.replaceAll(/["'\\]/g, "")}\n${cwd}`;
  if (NAMES.test(plain) || TAKES.test(plain) || HIDDEN.test(plain)) return true;
  const folders = [env["CLAUDE_CONFIG_DIR"], env["CODEX_HOME"], env["COPILOT_HOME"]];
  return [...own, ...folders].some(
    (path) => path !== undefined && path !== "" && plain.includes(basename(path)),
  );
}
