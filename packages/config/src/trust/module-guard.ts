import type { HaftError } from "@haft/core";
import { readRegularFile } from "@haft/system";
import { sha256 } from "@haft/utils";
import { registerHooks } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolveBesideHaft } from "../boundary/haft-packages.ts";
import { resolveRealPath } from "../boundary/real-path.ts";
import { configError } from "../errors.ts";
import { HAFT_PACKAGE_NAME } from "./covered-files.ts";
import { getPackageDigest, listPackageFiles, readCovered } from "./covered-package.ts";
import {
  type CheckedFiles,
  isExpected,
  type ModuleManifest,
  type Request,
  findPackageScope,
} from "./resolve-target.ts";
import type { TrustedPackage, TrustRecord } from "./trust-record.ts";

/** Bytes. */
const LARGEST_NATIVE = 1024 * 1024 * 1024;

export interface GuardedModules extends Pick<TrustRecord, "path" | "files" | "packages"> {
  pinned?: { use: string; fix: string };
}

export class ModuleGuard {
  #record: GuardedModules;
  readonly #files = new Map<TrustedPackage, ReadonlyMap<string, string>>();

  readonly #manifests = new Map<string, ModuleManifest>();
  readonly #checked: CheckedFiles = {
    getManifest: (folder) => this.#manifestOf(folder),
    ownsFolder: (path) =>
      this.#record.packages.some(({ folder }) => path === folder || path.startsWith(`${folder}/`)),
    covers: (path) => this.#expected(path) !== undefined,
  };

  constructor(record: GuardedModules) {
    this.#record = record;
  }

  renew(record: GuardedModules): void {
    this.#record = record;
  }

  get files(): string[] {
    return Object.keys(this.#record.files);
  }

  get isPluginGuard(): boolean {
    return this.#record.pinned !== undefined;
  }

  /** Returns a changed file that this process loaded before: Node loads each file once. */
  staleFile(): string | undefined {
    return this.files.find(
      (path) => (evaluated.get(path) ?? this.#record.files[path]) !== this.#record.files[path],
    );
  }

  toJSON(): GuardedModules {
    return this.#record;
  }

  /** Includes everything that the module loads. @throws HaftError `CONFIG_UNTRUSTED` */
  guard(file: string): void {
    this.admit(file);
    guardModule(pathToFileURL(file).href, this);
  }

  /** The compiler also runs in workers and processes without a guard, so all packages are compared first. */
  guardCompiler(file: string): void {
    for (const one of this.#record.packages) this.#filesOf(one);
    this.guard(file);
  }

  read(path: string): string {
    const content = readCovered(resolveRealPath(path));
    this.check(resolveRealPath(path), content);
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  }

  /** Guards everything that is covered. @throws HaftError `CONFIG_UNTRUSTED` */
  guardAll(): void {
    ofConfiguration.set(this.#record.path, this);
    for (const path of this.files) guardModule(pathToFileURL(path).href, this);
    for (const one of this.#record.packages.filter(({ named }) => named))
      for (const below of this.#filesOf(one).keys())
        guardModule(pathToFileURL(join(one.folder, below)).href, this);
  }

  /** @throws HaftError `CONFIG_UNTRUSTED` for an untrusted module */
  admit(path: string): void {
    if (this.#expected(path) === undefined) throw this.#unknown(path);
    // Hooks do not see the loading of native modules.
    if (path.endsWith(".node"))
      this.check(path, readRegularFile(path, { maxBytes: LARGEST_NATIVE, followLink: true }));
  }

  /**
   * Checks that Node resolved a module as the checked bytes of each `package.json` require: Node reads them separately, and they may have
   * changed.
   *
   * @throws HaftError `CONFIG_UNTRUSTED`, `PLUGIN_CHANGED`
   */
  confirm(found: string, request: Request): void {
    if (isExpected(found, request, this.#checked)) return;
    throw this.#refused(
      `${request.parent} asks for ${JSON.stringify(request.name)}, which led to ${found}, and the package.json that was ${this.#verb} leads elsewhere`,
    );
  }

  /** The checked `package.json` sets the module format. @throws as {@link confirm} */
  confirmFormat(path: string, format: string | null | undefined): void {
    const { type } = findPackageScope(path, this.#checked)?.manifest ?? {};
    const other = type === "module" ? "commonjs" : type === "commonjs" ? "module" : undefined;
    if (other === undefined || !/\.[jt]s$/.test(path) || format?.startsWith(other) !== true) return;
    throw this.#refused(
      `${path} is read as ${format}, but the package.json that was ${this.#verb} has another type`,
    );
  }

  /** @throws HaftError `CONFIG_UNTRUSTED` unless the content is trusted */
  check(path: string, content: string | Uint8Array): void {
    const expected = this.#expected(path);
    if (expected === undefined) throw this.#unknown(path);
    if (sha256(content) !== expected) throw this.#refused(`${path} has changed since it was ${this.#verb}`);
  }

  refuse(url: string): never {
    throw this.#refused(`${url} is loaded, and only files can be ${this.#verb}`);
  }

  #expected(path: string): string | undefined {
    const { files, packages } = this.#record;
    if (Object.hasOwn(files, path)) return files[path];
    // Packages can be nested.
    const [around] = packages
      .filter(({ folder }) => path.startsWith(`${folder}/`))
      .toSorted((one, other) => other.folder.length - one.folder.length);
    if (around === undefined) return undefined;
    const below = relative(around.folder, path);
    return below.startsWith("node_modules/") ? undefined : this.#filesOf(around).get(below);
  }

  /** Later loads are compared with this state. */
  #filesOf(one: TrustedPackage): ReadonlyMap<string, string> {
    const known = this.#files.get(one);
    if (known !== undefined) return known;
    const files = listPackageFiles(one.folder);
    if (getPackageDigest(files) !== one.digest)
      throw this.#refused(`the package ${one.name} in ${one.folder} has changed since it was ${this.#verb}`);
    this.#files.set(one, files);
    return files;
  }

  #unknown(path: string): HaftError {
    return this.#refused(`${path} is needed, and was not ${this.#verb} with it`, ` --also ${path}`);
  }

  get #verb(): string {
    return this.#record.pinned === undefined ? "trusted" : "pinned";
  }

  #manifestOf(folder: string): ModuleManifest | undefined {
    const path = join(folder, "package.json");
    const expected = this.#expected(path);
    if (expected === undefined) return undefined;
    const known = this.#manifests.get(expected);
    if (known !== undefined) return known;
    const content = readCovered(path);
    this.check(path, content);
    const manifest: unknown = JSON.parse(content.toString("utf8"));
    const found = typeof manifest === "object" && manifest !== null ? manifest : {};
    this.#manifests.set(expected, found);
    return found;
  }

  #refused(why: string, more = ""): HaftError {
    const { pinned } = this.#record;
    if (pinned !== undefined)
      return configError("PLUGIN_CHANGED", `${pinned.use} differs from the pinned version: ${why}.`, {
        fix: pinned.fix,
      });
    return configError("CONFIG_UNTRUSTED", `${this.#record.path}: ${why}.`, {
      fix: `Review it. haft config trust ${this.#record.path}${more} trusts the present content.`,
    });
  }
}

const evaluated = new Map<string, string>();
const ofConfiguration = new Map<string, ModuleGuard>();

/**
 * A module that a trusted workspace configuration names must equal the trusted version.
 *
 * @param source the configuration that contains the name
 * @param file real path
 * @throws HaftError `CONFIG_UNTRUSTED`
 */
export function guardNamed(source: string, file: string): void {
  getModuleGuard(source)?.guard(file);
}

/** Returns `undefined` if its operator named the configuration, or if it is not trusted. */
export function getModuleGuard(source: string): ModuleGuard | undefined {
  return ofConfiguration.get(source);
}

/** Guards last as long as the process, because some imports are late. */
const guarded = new Map<string, Set<ModuleGuard>>();

/**
 * Guards this module and everything it loads, at any depth and time, including `require` and JSON: untrusted content is refused before
 * evaluation. Workers, other processes, and files that modules read themselves are not covered.
 */
export function guardModule(url: string, guard: ModuleGuard): void {
  if (guarded.size === 0) registerHooks(HOOKS);
  const guards = guarded.get(url) ?? new Set();
  guarded.set(url, guards.add(guard));
}

/** The compiler must be trusted with the module. @throws HaftError `CONFIG_UNTRUSTED` */
export function guardModuleCompiler(url: string, compiler: string): void {
  for (const guard of guarded.get(url) ?? []) guard.guardCompiler(compiler);
}

const HOOKS: Parameters<typeof registerHooks>[0] = {
  resolve(name, context, next) {
    const guards = guarded.get(withoutQuery(context.parentURL ?? ""));
    if (guards === undefined) return next(name, context);
    // A pinned plugin may contain its own packages of Haft.
    const isPinned = [...guards].every((guard) => guard.isPluginGuard);
    const haftModule =
      HAFT_PACKAGE_NAME.test(name) && !isPinned
        ? attempt(() => resolveBesideHaft((parentURL) => next(name, { ...context, parentURL })))
        : undefined;
    // The running packages belong to no workspace.
    if (haftModule !== undefined) return haftModule;
    let isHaft = false;
    const found = !isPinned
      ? next(name, context)
      : resolveHaftPackage(
          name,
          () => next(name, context),
          () => {
            isHaft = true;
            return resolveBesideHaft((parentURL) => next(name, { ...context, parentURL }));
          },
        );
    if (isHaft || found.url.startsWith("node:") || !/^\w+:/.test(found.url)) return found;
    for (const guard of guards) {
      if (!found.url.startsWith("file:")) guard.refuse(found.url);
      const url = withoutQuery(found.url);
      const path = fileURLToPath(url);
      guard.admit(path);
      guard.confirm(path, {
        name,
        parent: fileURLToPath(withoutQuery(context.parentURL!)),
        conditions: context.conditions,
      });
      guardModule(url, guard);
    }
    return found;
  },
  load(url, context, next) {
    const loaded = next(url, context);
    const guards = guarded.get(withoutQuery(url));
    if (guards === undefined) return loaded;
    const path = fileURLToPath(withoutQuery(url));
    const { source } = loaded;
    // Checks the bytes that are evaluated; a module without bytes cannot be checked.
    for (const guard of guards) {
      const content = contentOf(source) ?? guard.refuse(url);
      guard.check(path, content);
      guard.confirmFormat(path, loaded.format);
      evaluated.set(path, sha256(content));
    }
    return loaded;
  },
};

function contentOf(source: unknown): string | Uint8Array | undefined {
  if (typeof source === "string" || source instanceof Uint8Array) return source;
  return source instanceof ArrayBuffer ? new Uint8Array(source) : undefined;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

/** The running package replaces a missing package of Haft. */
export function resolveHaftPackage<Found>(name: string, asWritten: () => Found, here: () => Found): Found {
  try {
    return asWritten();
  } catch (thrown) {
    const isMissing = /^(?:ERR_)?MODULE_NOT_FOUND$/.test((thrown as NodeJS.ErrnoException).code ?? "");
    if (!isMissing || !HAFT_PACKAGE_NAME.test(name)) throw thrown;
    return here();
  }
}
