import { dirname, join } from "node:path";
import {
  AGENT_FOLDER_NAMES,
  isSharedAgentFile,
  isProtectedAgentPath,
  MACHINE_PATHS,
  FILE_VARIABLES,
  listVariableFolders,
  HOOK_PACKAGE_PATTERN,
} from "./agent-paths.ts";
import { isStartFile, NEXT_START_DESCRIPTION } from "./start-files.ts";

/**
 * Paths that no agent may change, in addition to those with well-known names.
 *
 * @example
 * ```ts
 * import type { ProtectedPaths } from "@haft/guard";
 * const paths: ProtectedPaths = { home: "/home/me", haftPaths: ["/etc/agent/policy.yaml"], env: process.env };
 * ```
 */
export interface ProtectedPaths {
  /** The absolute home folder of the user. */
  home: string;
  /** Absolute paths of Haft: configuration, policy files and state folder. */
  haftPaths: readonly string[];
  /** Absolute paths from which the guard is started: folders of packages, and Node. */
  programs?: readonly string[];
  /** Absolute folders in the state of Haft with tokens, addresses and keys. Agents may not read them either. */
  secrets?: readonly string[];
  /** The environment, for variables that replace folders of the home folder: `CODEX_HOME`. */
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * What becomes of a place: it is written itself; or files come into it, of which nobody knows the names; or it goes with all that is
 * below it, moved or removed.
 */
export type PathReach = "itself" | "into" | "whole";

/**
 * What a change of this place would change, as the end of a sentence; nothing for any other place. Told by names, so that
 * it holds in every project; a fence, and no wall: whoever runs commands can build a name out of parts.
 *
 * @param path absolute
 */
export function describeProtectedPath(
  path: string,
  { home, haftPaths, programs = [], env }: ProtectedPaths,
  reach: PathReach = "itself",
): string | undefined {
  // Some file systems do not tell case apart, so names are not told apart by it.
  const plain = path.replaceAll("\\", "/").replace(/\/+$/, "");
  const folded = plain.toLowerCase();
  const isOwn = [...haftPaths, ...programs].some(
    (each) =>
      isWithin(folded, each.toLowerCase()) || (reach === "whole" && isWithin(each.toLowerCase(), folded)),
  );
  if (isOwn || HOOK_PACKAGE_PATTERN.test(folded)) return "what Haft keeps and decides by";
  if (MACHINE_PATHS.some((each) => isWithin(folded, each))) return "the settings of this machine";
  if (isSharedAgentFile(folded) || FILE_VARIABLES.some((name) => env[name]?.toLowerCase() === folded))
    return "settings that say what agents may do";
  if (isStartFile(folded, home.toLowerCase())) return NEXT_START_DESCRIPTION;
  const agents = [
    ...AGENT_FOLDER_NAMES.map((name) => ({ name, at: lastFolder(folded, name) })),
    { name: ".opencode", at: lastFolder(folded, ".config/opencode") },
    ...listVariableFolders(env),
  ];
  for (const { name, at } of agents) {
    if (at === undefined || !isWithin(folded, at)) continue;
    const rest = folded.slice(at.length + 1);
    if (rest === "" ? reach !== "itself" : isProtectedAgentPath(name, rest))
      return `the settings of an agent (${name})`;
  }
  const isAbove =
    folded === home.toLowerCase() ||
    folded === `${home.toLowerCase()}/.config` ||
    (reach === "whole" && folded === "");
  return reach !== "itself" && isAbove ? "the settings of agents, which are below it" : undefined;
}

/** What {@link ProtectedPaths.secrets} are, as the end of a sentence. */
export const SECRET_DESCRIPTION = "what lets people decide at Haft, or sign in";

/**
 * Returns what a call would do to a protected path, whatever the policy says, as the end of a sentence that starts with "it".
 *
 * @param own Describes the path.
 * @example
 * ```ts run
 * import { describeViolation } from "@haft/guard";
 * describeViolation("the settings of this agent"); // => "would change the settings of this agent"
 * ```
 */
export function describeViolation(own: string): string {
  return `would ${own === SECRET_DESCRIPTION ? "read" : "change"} ${own}`;
}

/**
 * What is nobody's to read through an agent, since it could then answer its own questions.
 *
 * @param path absolute
 * @param isWhole all that is below it is read, too
 */
export function describeSecretPath(
  path: string,
  { secrets = [] }: Pick<ProtectedPaths, "secrets">,
  isWhole = false,
): typeof SECRET_DESCRIPTION | undefined {
  const folded = path.replaceAll("\\", "/").replace(/\/+$/, "").toLowerCase();
  const isRead = secrets.some((each) => {
    const secret = each.toLowerCase();
    // Of what is further above, nobody says that it is about this.
    return isWithin(folded, secret) || (isWhole && folded === dirname(secret));
  });
  return isRead ? SECRET_DESCRIPTION : undefined;
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
