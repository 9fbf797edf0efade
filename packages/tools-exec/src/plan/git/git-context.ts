import { HaftError, type FileIdentity, type Mount } from "@haft/plugin-sdk";
import { posix } from "node:path";
import type { CommandPlanContext } from "../find-programs.ts";
import { contains, listAncestors } from "../paths.ts";
import { filterWritablePrograms } from "../shadowed-program.ts";

const USUAL = (
  "HEAD objects refs .git .git/commondir .git/config .git/config.worktree .git/HEAD .git/objects .git/refs " +
  ".git/modules .git/hooks .git/objects/info/alternates"
).split(" ");

export class GitContext {
  readonly #context: CommandPlanContext;
  readonly #inspected = new Map<string, FileIdentity | undefined>();
  /** Must be unchanged, or missing, at the start. */
  readonly guards = new Map<string, FileIdentity | undefined>();
  /** Variables that locate git's settings. `undefined` if unknown. */
  settings: Readonly<Record<string, string>> | undefined;
  #mounts: readonly Mount[] | undefined;

  constructor(context: CommandPlanContext) {
    this.#context = context;
  }

  /** Reads small files. The command then depends on all paths. */
  async inspectAndGuard(paths: readonly string[]): Promise<(FileIdentity | undefined)[]> {
    const found = await this.inspect(paths);
    paths.forEach((path, at) => this.guards.set(path, found[at]));
    return found;
  }

  /** Without a dependency. */
  async inspect(paths: readonly string[]): Promise<(FileIdentity | undefined)[]> {
    const missing = [...new Set(paths)].filter((path) => !this.#inspected.has(path));
    if (missing.length > 0) {
      const names = missing.map((name) => ({ name, hash: true, content: true }));
      const { processes, where } = this.#context;
      const { files, settings } = await processes.identify(names, where);
      this.settings ??= settings;
      missing.forEach((path, at) => this.#inspected.set(path, files[at] ?? undefined));
    }
    return paths.map((path) => this.#inspected.get(path));
  }

  /** One read, because each is a round trip to the runner. */
  async prefetch(folder: string, hooks: readonly string[]): Promise<void> {
    const levels = listAncestors(folder);
    const names = [...USUAL, ...hooks.map((hook) => `.git/hooks/${hook}`)];
    const usual = levels.flatMap((level) => names.map((name) => posix.join(level, name)));
    const mounts = this.#context.workspace.describe().mounts.map(({ path }) => path);
    await this.inspect([...levels, ...usual, ...mounts]);
  }

  async findWritablePrograms(
    names: readonly string[],
  ): Promise<(readonly [string, FileIdentity | undefined])[]> {
    if (names.length === 0) return [];
    const { workspace, processes, where } = this.#context;
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

  /** Includes files that need consent, because git replaces them on a branch change. */
  async isChangeable(real: string): Promise<boolean> {
    const refusal = await this.#refusesWrite(real);
    return refusal === undefined || refusal === "CONSENT_NEEDED";
  }

  /** Returns an error code. */
  async #refusesWrite(real: string): Promise<string | undefined> {
    if (!(await this.isInside(real, "rw"))) return "OUTSIDE";
    try {
      await this.#context.workspace.fs.check?.(real, "write");
      return undefined;
    } catch (error) {
      return error instanceof HaftError ? error.code : "UNKNOWN";
    }
  }

  async #realMounts(): Promise<readonly Mount[]> {
    const { mounts } = this.#context.workspace.describe();
    const found = await this.inspect(mounts.map(({ path }) => path));
    return mounts.map((mount, at) => ({ ...mount, path: found[at]?.realPath ?? mount.path }));
  }
}

export async function resolveMissingPath(
  context: GitContext,
  path: string,
): Promise<{ real: string; found: FileIdentity | undefined }> {
  const above = listAncestors(path);
  const found = await context.inspect(above);
  const at = found.findIndex((one) => one !== undefined);
  // Its parent must stay unchanged, and missing entries must stay missing.
  await context.inspectAndGuard(above.slice(0, Math.max(at, 0) + 1));
  const rest = at <= 0 ? "" : posix.relative(above[at] ?? "/", path);
  return { real: posix.join(found[at]?.realPath ?? "/", rest), found: at === 0 ? found[0] : undefined };
}
