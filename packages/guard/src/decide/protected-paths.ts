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
 * Lists paths that no agent may change, in addition to well-known paths.
 *
 * @example
 * ```ts
 * import type { ProtectedPaths } from "@haft/guard";
 * const paths: ProtectedPaths = { home: "/home/me", haftPaths: ["/etc/agent/policy.yaml"], env: process.env };
 * ```
 */
export interface ProtectedPaths {
  /** Names the absolute home folder of the user. */
  home: string;
  /** Contains configuration, policy files and state folder. */
  haftPaths: readonly string[];
  /** Contains folders of packages, and Node. */
  programs?: readonly string[];
  /** Contains folders with tokens, addresses and keys. Agents may not read them either. */
  secrets?: readonly string[];
  /** Contains variables such as `CODEX_HOME`. */
  env: Readonly<Record<string, string | undefined>>;
  /**
   * Finds settings with the guard in these folders and above. Without it, commands that remove files are compared with `haftPaths` only.
   */
  findSettings?: (folders: readonly string[]) => Promise<readonly string[]>;
}

/** `into`: files with unknown names are added. `whole`: the path is moved or removed with its content. */
export type PathReach = "itself" | "into" | "whole";

/**
 * Returns the protected part as the end of a sentence. It compares names, so it works in every project. It is not a security boundary: a
 * command can build a name from parts.
 *
 * @param path An absolute path.
 */
export function describeProtectedPath(
  path: string,
  { home, haftPaths, programs = [], env }: ProtectedPaths,
  reach: PathReach = "itself",
): string | undefined {
  // Some file systems ignore case.
  const plain = path.replaceAll("\\", "/").replace(/\/+$/, "");
  const folded = plain.toLowerCase();
  const isHaft = [...haftPaths, ...programs].some(
    (each) =>
      isWithin(folded, each.toLowerCase()) || (reach === "whole" && isWithin(each.toLowerCase(), folded)),
  );
  if (isHaft || HOOK_PACKAGE_PATTERN.test(folded)) return "the files or rules of Haft";
  if (MACHINE_PATHS.some((each) => isWithin(folded, each))) return "agent settings of this machine";
  if (isSharedAgentFile(folded) || FILE_VARIABLES.some((name) => env[name]?.toLowerCase() === folded))
    return "settings that control agents";
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
  return reach !== "itself" && isAbove ? "the settings of agents below it" : undefined;
}

export const SECRET_DESCRIPTION = "tokens or keys of Haft";

/**
 * Returns the forbidden effect on a protected path, as the end of a sentence that starts with "it".
 *
 * @example
 * ```ts run
 * import { describeViolation } from "@haft/guard";
 * describeViolation("the settings of this agent"); // => "would change the settings of this agent"
 * ```
 */
export function describeViolation(description: string): string {
  return `would ${description === SECRET_DESCRIPTION ? "read" : "change"} ${description}`;
}

/**
 * With these files, an agent could answer its own questions.
 *
 * @param isWhole Includes all files below the path.
 */
export function describeSecretPath(
  path: string,
  { secrets = [] }: Pick<ProtectedPaths, "secrets">,
  isWhole = false,
): typeof SECRET_DESCRIPTION | undefined {
  const folded = path.replaceAll("\\", "/").replace(/\/+$/, "").toLowerCase();
  const isRead = secrets.some((each) => {
    const secret = each.toLowerCase();
    // A call further above rarely means the secrets.
    return isWithin(folded, secret) || (isWhole && folded === dirname(secret));
  });
  return isRead ? SECRET_DESCRIPTION : undefined;
}

function lastFolder(path: string, name: string): string | undefined {
  const at = `${path}/`.lastIndexOf(`/${name}/`);
  return at < 0 ? undefined : path.slice(0, at + name.length + 1);
}

function isWithin(path: string, folder: string): boolean {
  if (path === folder || folder.endsWith("/")) return path.startsWith(folder);
  return path.startsWith(isPlain(folder) ? `${folder}/` : join(folder, "/"));
}

/** Avoids the slow `join` for each word of a line. */
function isPlain(folder: string): boolean {
  return !/\/\/|(?:^|\/)\.{1,2}(?:\/|$)/.test(folder);
}
