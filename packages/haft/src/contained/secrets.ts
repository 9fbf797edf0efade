import { createDenyList, expandHome } from "@haft/workspace";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { outermost } from "../boundary/own-code.ts";
import { realOf } from "../boundary/real-path.ts";

/** What file tools are not denied by name, and no command needs: keyrings, browsers, what other agents log in with. */
const OF_PROGRAMS = [
  "~/.local/share/keyrings",
  "~/.local/share/kwalletd",
  "~/.mozilla",
  "~/.thunderbird",
  "~/.config/{google-chrome,chromium,BraveSoftware,microsoft-edge}",
  "~/.config/{sops,rclone,hub,glab-cli}",
  "~/.{claude.json,claude/.credentials.json,codex/auth.json,gemini/oauth_creds.json,vault-token}",
  "~/.{bash,zsh,python,node_repl,psql,mysql}_history",
];

/** Folders and entries that are looked at for secrets in a root, at most. */
const MOST_FOLDERS = 2_000;
const MOST_ENTRIES = 50_000;
const NOT_LOOKED_INTO = new Set(["node_modules", ".git"]);

/** What of secrets there is in a view. */
export interface Secrets {
  /** Real paths of files and folders. */
  paths: readonly string[];
  /** Those of them that are known by their place, and would be missed at another. */
  placed: readonly string[];
  /** Roots that were too large to be looked through. */
  unlooked: readonly string[];
}

/**
 * Secrets that are there now: in the home folders of this machine's users, and in the roots, as the patterns name them.
 *
 * @param patterns as for a deny list: credentials, and what the boundary denies
 * @param roots real paths
 */
export function findSecrets(patterns: readonly string[], roots: readonly string[], home: string): Secrets {
  const [main = "/"] = roots;
  const named = [...patterns, ...OF_PROGRAMS];
  const inHomes = homesOf(home).flatMap((folder) => expandHome(named.map(underHome), folder));
  // Below the root folder as others are below a home folder: one by one, with what stands in braces.
  const absolute = expandHome(
    named.filter((one) => one.startsWith("/")).map((one) => `~${one}`),
    "/",
  );
  const found = [...inHomes, ...absolute].flatMap((path) => realOf(path) ?? []);
  const list = createDenyList(patterns, { root: main, home, roots });
  const looked = roots.map((root) => lookThrough(root, (path) => list.denies(path)));
  const all = [...found, ...looked.flatMap(({ paths }) => paths)].filter((path) => !roots.includes(path));
  return {
    paths: outermost(all),
    placed: found,
    unlooked: roots.filter((_, at) => looked[at]!.isCut),
  };
}

/** A name at any depth is one in the home folder, too. */
function underHome(pattern: string): string {
  return pattern.startsWith("**/") ? `~/${pattern.slice(3)}` : pattern;
}

/** Root reads those of everybody; for anybody else they are closed, or shared on purpose. */
function homesOf(home: string): string[] {
  const real = realOf(home) ?? home;
  if (process.getuid?.() !== 0) return [real];
  const others = entriesOf("/home").map(({ name }) => join("/home", name));
  return [...new Set([real, "/root", ...others])].filter((folder) => existsSync(folder));
}

function lookThrough(root: string, denies: (path: string) => boolean): { paths: string[]; isCut: boolean } {
  const paths: string[] = [];
  const waiting = [root];
  let entries = 0;
  for (let looked = 0; looked < MOST_FOLDERS && waiting.length > 0; looked++) {
    const folder = waiting.shift()!;
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (++entries > MOST_ENTRIES) return { paths, isCut: true };
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
