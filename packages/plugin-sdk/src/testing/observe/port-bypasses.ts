import type { ToolEffect } from "@haft/core";
import { syncBuiltinESMExports } from "node:module";
import { isAbsolute, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

type Callable = (...args: unknown[]) => unknown;

/** Code bypasses ports with these functions of Node. Each has an effect. */
const WAYS: Readonly<Record<string, Readonly<Partial<Record<ToolEffect, readonly string[]>>>>> = {
  "node:fs": {
    read: names("access exists lstat open opendir readdir readFile readlink realpath stat"),
    write: names(
      "appendFile chmod copyFile cp link mkdir mkdtemp rename rm rmdir symlink truncate unlink writeFile",
    ),
  },
  "node:fs/promises": {
    read: names("access lstat open opendir readdir readFile readlink realpath stat"),
    write: names(
      "appendFile chmod copyFile cp link mkdir mkdtemp rename rm rmdir symlink truncate unlink writeFile",
    ),
  },
  "node:child_process": { execute: names("exec execFile execFileSync execSync fork spawn spawnSync") },
  "node:net": { network: names("connect createConnection createServer") },
  "node:http": { network: names("get request createServer") },
  "node:https": { network: names("get request") },
  "node:tls": { network: names("connect") },
};

/** Receives a bypass of the ports. */
export type OnPortBypass = (effect: ToolEffect, what: string) => void;

/**
 * Refuses checked code the files, programs and network of this machine without ports. The code may read its own package.
 *
 * @param isWatched returns whether checked code makes the call
 * @param own the folder of its package
 * @returns a function that restores everything
 */
export function blockPortBypasses(
  isWatched: () => boolean,
  own: string | undefined,
  took: OnPortBypass,
): () => void {
  const undo: (() => void)[] = [];
  const replace = (holder: Record<string, unknown>, name: string, effect: ToolEffect, shown: string) => {
    const original = holder[name];
    if (typeof original !== "function") return;
    const replaced: Callable = function (this: unknown, ...args) {
      if (!isWatched() || (effect === "read" && isOwn(args[0], own)))
        return Reflect.apply(original, this, args);
      const what = `${shown}(${textOf(args[0])})`;
      took(effect, what);
      const refused = Object.assign(new Error(`A check refuses what goes around the ports: ${what}`), {
        code: "ERR_ACCESS_DENIED",
      });
      if (shown.startsWith("fs/promises") || shown === "fetch") return Promise.reject(refused);
      throw refused;
    };
    Object.defineProperties(replaced, Object.getOwnPropertyDescriptors(original));
    holder[name] = replaced;
    undo.push(() => (holder[name] = original));
  };
  for (const [module, ways] of Object.entries(WAYS)) {
    const holder = process.getBuiltinModule(module) as unknown as Record<string, unknown>;
    for (const [effect, all] of Object.entries(ways) as [ToolEffect, readonly string[]][])
      for (const name of all.flatMap((each) => (module === "node:fs" ? [each, `${each}Sync`] : [each])))
        replace(holder, name, effect, `${module.slice("node:".length)}.${name}`);
  }
  replace(globalThis, "fetch", "network", "fetch");
  syncBuiltinESMExports();
  return () => {
    for (const each of undo) each();
    syncBuiltinESMExports();
  };
}

function isOwn(path: unknown, own: string | undefined): boolean {
  // The call that opened the descriptor was checked.
  if (typeof path === "number") return true;
  if (own === undefined || !(typeof path === "string" || path instanceof URL)) return false;
  const file = path instanceof URL ? fileURLToPath(path) : path;
  const whole = isAbsolute(file) ? resolve(file) : resolve(process.cwd(), file);
  return whole === own || whole.startsWith(own + sep);
}

function textOf(argument: unknown): string {
  if (argument instanceof URL) return JSON.stringify(argument.href);
  if (typeof argument === "string") return JSON.stringify(argument.slice(0, 200));
  return typeof argument === "number" ? String(argument) : "…";
}

function names(text: string): readonly string[] {
  return text.split(" ");
}
