import { getRealPath } from "@haft/config/internal/boundary";
import { removeNestedPaths, attempt } from "@haft/system";
import { createDenyList, expandHome } from "@haft/workspace/internal/boundary";
import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** Variables that move a program's credentials out of the home folder. */
const MOVED_FOLDERS = [
  "XDG_CONFIG_HOME .config",
  "XDG_DATA_HOME .local/share",
  "XDG_STATE_HOME .local/state",
  "XDG_CACHE_HOME .cache",
  "CLAUDE_CONFIG_DIR .claude",
  "CODEX_HOME .codex",
  "COPILOT_HOME .copilot",
  "CURSOR_CONFIG_DIR .cursor",
  "GEMINI_CLI_HOME .gemini .gemini",
  "PI_CODING_AGENT_DIR .pi/agent",
  "OPENCLAW_STATE_DIR .openclaw",
  "HF_HOME .cache/huggingface",
  "CARGO_HOME .cargo",
  "GRADLE_USER_HOME .gradle",
  "COMPOSER_HOME .composer",
  "DOCKER_CONFIG .docker",
].map((line) => line.split(" ") as [variable: string, folder: string, below?: string]);
const NAMED_FILES =
  "HISTFILE KUBECONFIG NETRC PGPASSFILE AWS_SHARED_CREDENTIALS_FILE GOOGLE_APPLICATION_CREDENTIALS NPM_CONFIG_USERCONFIG PIP_CONFIG_FILE BOTO_CONFIG OPENCLAW_CONFIG_PATH".split(
    " ",
  );

const MAX_FOLDERS = 2_000;
const MAX_ENTRIES = 50_000;
const NOT_LOOKED_INTO = new Set(["node_modules", ".git"]);

export interface FoundSecrets {
  paths: readonly string[];
  knownPaths: readonly string[];
  unscannedRoots: readonly string[];
}

/**
 * Returns the existing secrets in the home folders of users and in the roots.
 *
 * @param patterns as in a deny list: credentials, and the paths that the boundary denies
 * @param roots real paths
 */
export function findSecrets(
  patterns: readonly string[],
  roots: readonly string[],
  home: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): FoundSecrets {
  const [main = "/"] = roots;
  const below = patterns.map(underHome);
  const inHomes = homesOf(home).flatMap((folder) => expandHome(below, folder));
  const absolute = expandHome(
    patterns.filter((one) => one.startsWith("/")).map((one) => `~${one}`),
    "/",
  );
  const elsewhere = [...movedBy(env, expandHome(below, "/")), ...namedBy(env)];
  const found = [...inHomes, ...absolute, ...elsewhere]
    .filter(isThere)
    .flatMap((path) => getRealPath(path) ?? []);
  const list = createDenyList(patterns, { root: main, home, roots });
  const looked = roots.map((root) => searchRoot(root, (path) => list.denies(path)));
  const all = [...found, ...looked.flatMap(({ paths }) => paths)].filter((path) => !roots.includes(path));
  return {
    paths: removeNestedPaths(all),
    knownPaths: found,
    unscannedRoots: roots.filter((_, at) => looked[at]!.isCut),
  };
}

function underHome(pattern: string): string {
  return pattern.startsWith("**/") ? `~/${pattern.slice(3)}` : pattern;
}

function movedBy(env: Readonly<Record<string, string | undefined>>, paths: readonly string[]): string[] {
  return MOVED_FOLDERS.flatMap(([variable, folder, below = ""]) => {
    const given = env[variable] ?? "";
    if (!isAbsolute(given)) return [];
    return paths.flatMap((path) =>
      path.startsWith(`/${folder}/`) ? [join(given, below, path.slice(folder.length + 1))] : [],
    );
  });
}

function namedBy(env: Readonly<Record<string, string | undefined>>): string[] {
  const paths = NAMED_FILES.flatMap((variable) => (env[variable] ?? "").split(":"));
  return paths.filter((path) => isAbsolute(path) && attempt(() => statSync(path).isFile()) === true);
}

/** Resolving the many missing paths would cost an error each. */
function isThere(path: string): boolean {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false })) !== undefined;
}

/** Only root can read other users' homes; for other users they are closed or shared on purpose. */
function homesOf(home: string): string[] {
  const real = getRealPath(home) ?? home;
  if (process.getuid?.() !== 0) return [real];
  const others = entriesOf("/home").map(({ name }) => join("/home", name));
  return [...new Set([real, "/root", ...others])].filter((folder) => existsSync(folder));
}

function searchRoot(root: string, denies: (path: string) => boolean): { paths: string[]; isCut: boolean } {
  const paths: string[] = [];
  const waiting = [root];
  let entries = 0;
  for (let looked = 0; looked < MAX_FOLDERS && waiting.length > 0; looked++) {
    const folder = waiting.shift()!;
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (++entries > MAX_ENTRIES) return { paths, isCut: true };
      if (denies(path)) {
        const real = entry.isSymbolicLink() ? undefined : path;
        if (real !== undefined) paths.push(real);
      } else if (entry.isDirectory() && !NOT_LOOKED_INTO.has(entry.name)) waiting.push(path);
    }
  }
  return { paths, isCut: waiting.length > 0 };
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
