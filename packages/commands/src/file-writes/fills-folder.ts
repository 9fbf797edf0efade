import { getGitSubcommand } from "./is-read-only.ts";

/** These put files into a folder under their earlier names. */
export const COPY_PROGRAMS = /^(?:cp|mv|ln|rsync|install|scp|gcp|ginstall)$/;
/** They fill a folder from an archive, a repository or an address. */
const FILLS =
  /^(?:ditto|bsdtar|pax|b?s?d?cpio|unzip|7z\w*|unrar|unar|patch|gpatch|gh|svn|hg|sftp|rclone|curl|wget2?|aria2c|jar|stow|degit|tiged)$/;
const GIT_FILLS =
  /^(?:clone|pull|checkout|switch|restore|reset|merge|rebase|apply|am|stash|cherry-pick|revert|clean|worktree|submodule|read-tree|checkout-index)$/;

/**
 * Returns whether a program puts files into a folder without naming each of them.
 *
 * @example
 * ```ts run
 * import { fillsFolder } from "@haft/commands";
 *
 * fillsFolder("git", ["git", "clone", "https://example.com/app.git"]); // => true
 * fillsFolder("tar", ["tar", "-cf", "app.tar", "src"]); // => false
 * ```
 */
export function fillsFolder(program: string, argv: readonly string[]): boolean {
  if (program === "git") return GIT_FILLS.test(getGitSubcommand(argv));
  if (/^g?tar$/.test(program))
    return argv.some(
      (word, at) => /^-[A-Za-z]*x|^--(?:extract|get)/.test(word) || (at === 1 && /^\w*x/.test(word)),
    );
  return FILLS.test(program);
}
