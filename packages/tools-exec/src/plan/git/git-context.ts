import { HaftError, type FileIdentity, type Mount } from "@haft/plugin-sdk";
import { posix } from "node:path";
import type { CommandPlanContext } from "../find-programs.ts";
import { contains, listAncestors } from "../paths.ts";
import { filterWritablePrograms } from "../shadowed-program.ts";

const USUAL = (
  "HEAD objects refs .git .git/commondir .git/config .git/config.worktree .git/HEAD .git/objects .git/refs " +
  ".git/modules .git/hooks .git/objects/info/alternates"
).split(" ");

/** What the plan of a git command looks at, and what of that it rests on. */
export class GitContext {
  readonly #ground: CommandPlanContext;
  readonly #looked = new Map<string, FileIdentity | undefined>();
  /** What has to be as it is when the command starts, or not be there. */
  readonly guards = new Map<string, FileIdentity | undefined>();
  /** Variables that say where git has its settings. `undefined`: that is not known here. */
  settings: Readonly<Record<string, string>> | undefined;
  #mounts: readonly Mount[] | undefined;

  constructor(ground: CommandPlanContext) {
    this.#ground = ground;
  }

  /** Looks at absolute paths, all at once, and reads what is small enough. The command then rests on them. */
  async inspectAndGuard(paths: readonly string[]): Promise<(FileIdentity | undefined)[]> {
    const found = await this.inspect(paths);
    paths.forEach((path, at) => this.guards.set(path, found[at]));
    return found;
  }

  /** The same, and the command may start whatever becomes of them. */
  async inspect(paths: readonly string[]): Promise<(FileIdentity | undefined)[]> {
    const missing = [...new Set(paths)].filter((path) => !this.#looked.has(path));
    if (missing.length > 0) {
      const names = missing.map((name) => ({ name, hash: true, content: true }));
      const { processes, where } = this.#ground;
      const { files, settings } = await processes.identify(names, where);
      this.settings ??= settings;
      missing.forEach((path, at) => this.#looked.set(path, files[at] ?? undefined));
    }
    return paths.map((path) => this.#looked.get(path));
  }

  /** Looks at once at what a command in a folder is usually about: each look by itself is a way to the runner and back. */
  async prefetch(folder: string, hooks: readonly string[]): Promise<void> {
    const levels = listAncestors(folder);
    const names = [...USUAL, ...hooks.map((hook) => `.git/hooks/${hook}`)];
    const usual = levels.flatMap((level) => names.map((name) => posix.join(level, name)));
    const mounts = this.#ground.workspace.describe().mounts.map(({ path }) => path);
    await this.inspect([...levels, ...usual, ...mounts]);
  }

  async findWritablePrograms(
    names: readonly string[],
  ): Promise<(readonly [string, FileIdentity | undefined])[]> {
    if (names.length === 0) return [];
    const { workspace, processes, where } = this.#ground;
    const wanted = names.map((name) => ({ name }));
    const { files } = await processes.identify(wanted, where);
    const found = new Map(names.map((name, at) => [name, files[at] ?? undefined]));
    return filterWritablePrograms(found, workspace.describe().mounts);
  }

  async isInside(real: string, access?: "rw"): Promise<boolean> {
    this.#mounts ??= await this.#realMounts();
    return this.#mounts.some(
      (mount) => (access === undefined || mount.access === access) && contains(mount.path, real),
    );
  }

  async isWritable(real: string): Promise<boolean> {
    return (await this.#refusesWrite(real)) === undefined;
  }

  /**
   * Whether the content of a file may come from commands or from a repository. A file that file tools change
   * only with consent counts: git itself replaces it when it changes branches.
   */
  async isChangeable(real: string): Promise<boolean> {
    const refusal = await this.#refusesWrite(real);
    return refusal === undefined || refusal === "CONSENT_NEEDED";
  }

  /** Returns the code of the error with which file tools refuse to write, or `undefined` if they write. */
  async #refusesWrite(real: string): Promise<string | undefined> {
    if (!(await this.isInside(real, "rw"))) return "OUTSIDE";
    try {
      await this.#ground.workspace.fs.check?.(real, "write");
      return undefined;
    } catch (error) {
      return error instanceof HaftError ? error.code : "UNKNOWN";
    }
  }

  async #realMounts(): Promise<readonly Mount[]> {
    const { mounts } = this.#ground.workspace.describe();
    const found = await this.inspect(mounts.map(({ path }) => path));
    return mounts.map((mount, at) => ({ ...mount, path: found[at]?.realPath ?? mount.path }));
  }
}

/** Where a path leads that need not be there yet: the links of what is there resolved, and what it is. */
export async function resolveMissingPath(
  ground: GitContext,
  path: string,
): Promise<{ real: string; found: FileIdentity | undefined }> {
  const above = listAncestors(path);
  const found = await ground.inspect(above);
  const at = found.findIndex((one) => one !== undefined);
  // What it will be made in has to stay what it is, and what is not there has to stay away.
  await ground.inspectAndGuard(above.slice(0, Math.max(at, 0) + 1));
  const rest = at <= 0 ? "" : posix.relative(above[at] ?? "/", path);
  return { real: posix.join(found[at]?.realPath ?? "/", rest), found: at === 0 ? found[0] : undefined };
}
