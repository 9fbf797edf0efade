import { join } from "node:path";

/** Places that are nobody's to change through an agent, beside those that are known by their names. */
export interface OwnPlaces {
  /** The user's own folder; absolute. */
  home: string;
  /** Files and folders of Haft: its configuration, policy files, state folder, the guard's own program. Absolute. */
  own: readonly string[];
  /** Folders that variables name instead of those in the home folder: `CODEX_HOME`. */
  env: Readonly<Record<string, string | undefined>>;
}

/** What agents read at their start and what says which hooks they call, below the folder of each. */
const SETTINGS: Readonly<Record<string, RegExp>> = {
  ".claude": /^(?:settings(?:\.local)?\.json|hooks(?:\/.*)?|plugins(?:\/.*)?)$/i,
  ".codex": /^(?:config\.toml|hooks\.json|hooks(?:\/.*)?|plugins(?:\/.*)?)$/i,
  ".gemini": /^(?:settings\.json|hooks(?:\/.*)?|extensions(?:\/.*)?|trustedFolders\.json)$/i,
  ".cursor": /^(?:hooks\.json|hooks(?:\/.*)?)$/i,
  ".copilot": /^(?:config\.json|settings\.json|mcp-config\.json|hooks(?:\/.*)?|plugins(?:\/.*)?)$/i,
  ".opencode": /^(?:opencode\.jsonc?|plugins?(?:\/.*)?)$/i,
  ".pi": /^(?:agent\/)?(?:settings\.json|extensions(?:\/.*)?)$/i,
  ".openclaw": /^(?:openclaw\.json|plugins(?:\/.*)?|extensions(?:\/.*)?)$/i,
};
/** Variables that name such a folder. */
const NAMED: Readonly<Record<string, string>> = {
  CLAUDE_CONFIG_DIR: ".claude",
  CODEX_HOME: ".codex",
  COPILOT_HOME: ".copilot",
};
const MACHINE = [
  "/etc/haft",
  "/etc/claude-code",
  "/etc/codex",
  "/etc/gemini-cli",
  "/etc/cursor",
  "/Library/Application Support/ClaudeCode",
];
const FILES =
  /(?:^|\/)(?:\.claude\.json|\.mcp\.json|haft\.config\.(?:ya?ml|json|[cm]?[jt]s)|\.github\/hooks(?:\/.*)?|\.config\/(?:opencode\/(?:opencode\.jsonc?|plugins?(?:\/.*)?)|haft(?:\/.*)?)|opencode\.jsonc?)$/;

/**
 * What a change of this place would change, as the end of a sentence; nothing for any other place. Told by names, so that
 * it holds in every project; a fence, and no wall: whoever runs commands can build a name out of parts.
 *
 * @param path absolute
 * @param whole the place goes with all that is below it: it is moved or removed
 */
export function ownPlace(path: string, { home, own, env }: OwnPlaces, whole = false): string | undefined {
  // Some file systems do not tell case apart, so names are not told apart by it.
  const plain = path.replaceAll("\\", "/").replace(/\/+$/, "");
  const folded = plain.toLowerCase();
  if (
    own.some(
      (each) => isWithin(folded, each.toLowerCase()) || (whole && isWithin(each.toLowerCase(), folded)),
    )
  )
    return "what Haft keeps and decides by";
  if (MACHINE.some((each) => isWithin(folded, each.toLowerCase()))) return "the settings of this machine";
  if (FILES.test(folded)) return "settings that say what agents may do";
  const agents = [
    ...Object.keys(SETTINGS).map((name) => ({ name, at: lastFolder(folded, name) })),
    ...Object.entries(NAMED).flatMap(([variable, name]) => {
      const given = env[variable]?.toLowerCase() ?? "";
      // What stands in it is told by how long it is.
      const folder = given === "" ? "" : join(given, "/").slice(0, -1);
      return folder !== "" && isWithin(folded, folder) ? [{ name, at: folder }] : [];
    }),
  ];
  for (const { name, at } of agents) {
    if (at === undefined) continue;
    const rest = folded.slice(at.length + 1);
    if (whole && rest === "") return `the settings of an agent (${name})`;
    if (SETTINGS[name]!.test(rest)) return `the settings of an agent (${name})`;
  }
  const inHome = whole && (folded === home.toLowerCase() || folded === "");
  return inHome ? "the settings of agents, which are below it" : undefined;
}

/** The folder of this name that a path is in, or is; the innermost. */
function lastFolder(path: string, name: string): string | undefined {
  const at = `${path}/`.lastIndexOf(`/${name}/`);
  return at < 0 ? undefined : path.slice(0, at + name.length + 1);
}

function isWithin(path: string, folder: string): boolean {
  if (path === folder || folder.endsWith("/")) return path.startsWith(folder);
  return path.startsWith(isPlain(folder) ? `${folder}/` : join(folder, "/"));
}

/** Nothing in it would be left out: every word of a line is held against all places, and nearly all of them are so. */
function isPlain(folder: string): boolean {
  return !/\/\/|(?:^|\/)\.{1,2}(?:\/|$)/.test(folder);
}
