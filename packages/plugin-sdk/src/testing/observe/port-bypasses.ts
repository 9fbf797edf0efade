import type { ToolEffect } from "@haft/core";
import { syncBuiltinESMExports } from "node:module";
import { isAbsolute, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

type Callable = (...args: unknown[]) => unknown;

/** Functions of Node by which code gets to the world without its ports, and what each would have been. */
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

/** Told of a way around the ports that code took; it may be let. */
export type OnPortBypass = (effect: ToolEffect, what: string) => void;

/**
 * Refuses code to get at files, programs and the network of this machine without its ports, for as long as it is checked. What
 * it reads of its own package it may.
 *
 * @param isWatched is this called by code that is checked?
 * @param own the folder of its package
 * @returns puts everything back
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
  // A descriptor: whoever opened it was asked.
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
