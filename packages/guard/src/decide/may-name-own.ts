import { basename, dirname } from "node:path";
import { AGENT_FOLDER_NAMES, NAMED_FILES, namedFolders } from "./agent-places.ts";
import type { OwnPlaces } from "./own-places.ts";

/** Parts of names that nobody else has a use for; a name in quotes is the same name. */
const NAMES =
  /haft|approvals\W|guard\W+(?:un)?install|inspect\W|\/proc\/|guard-hook|\.claude\.json|\.(?:mcp|lsp)\.json|\.github|\.vscode|\.agents|\.clinerules|opencode|\/etc(?:\W|$)|claudecode|application support|\.config|node_modules\W|\.(?:bash|z|k|t?c)sh|\.bash|\.(?:profile|zprofile|zlog|login|logout|inputrc|env|npmrc|bunfig|pam_env|x(?:profile|session|init|server)|gnomerc|tmux|screenrc|ssh|direnv|local)|environment|crontab|launch|setx|hooks?(?:\W|$)|\.husky|lefthook|\.git\//i;
const FOLDERS = new RegExp(
  String.raw`(?:${AGENT_FOLDER_NAMES.join("|").replaceAll(".", String.raw`\.`)})(?:\W|$)`,
  "i",
);
/** Agents, whose own commands change what they start. */
const AGENTS = /\b(?:agent|claude|codex|gemini|copilot|cursor|pi|openclaw)\b|-(?:mcp|extension)\b/;
/** What takes a folder with all that is in it, or fills one, by whatever name. */
const TAKES =
  /(?:^|[^\w.-])(?:rm|mv|rmdir|unlink|shred|trash|ln|chmod|chown|rsync|scp|zip|7z\w*|pax|ditto|restic|borg|xargs|find|cp(?=\s+-)|tar|unzip|cpio)(?![\w-])/;
/** A name of which a part is left to the shell. */
const HIDDEN = /\.[\w-]*[*?[{]|[*?\]}]\w*(?:aude|odex|mini|rsor|pilot|code|haft|claw)/i;

/**
 * Whether a command line could be about what is nobody's to change, going by its text. Where it could, it is taken apart; this alone
 * decides nothing.
 */
export function mayNameOwn(
  { text, cwd }: { text: string; cwd: string },
  { own, programs = [], env }: OwnPlaces,
): boolean {
  const plain = `${text.replaceAll(/["'\\]/g, "")}\n${cwd}`;
  if ([NAMES, FOLDERS, AGENTS, TAKES, HIDDEN].some((pattern) => pattern.test(plain))) return true;
  if (programs.some((path) => plain.includes(dirname(path)))) return true;
  const named = [...namedFolders(env).map(({ at }) => at), ...NAMED_FILES.map((name) => env[name] ?? "")];
  const folded = plain.toLowerCase();
  return [...own, ...named].some((path) => path !== "" && folded.includes(basename(path).toLowerCase()));
}
