import type { CommandOutline, OutlinedCommand } from "@haft/commands";
import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { fills } from "./fills.ts";
import { looksOnly, programOf } from "./looks-only.ts";
import { realPathOf } from "./real-path.ts";

/** They put files where their words say. */
const COPIES = /^(?:cp|mv|ln|install|gcp|ginstall)$/;

/**
 * Why it cannot be told what a line runs: it runs a file that it writes itself, so that rules about commands see neither. Nothing where
 * each file that it runs is as it is now.
 */
export function writesWhatItRuns({ commands, files }: CommandOutline): string | undefined {
  const written = new Set(
    files.flatMap(({ path, access }) => (access === "write" ? [realPathOf(path)] : [])),
  );
  const writers = commands.filter((command) => !looksOnly(command));
  for (const command of commands) {
    for (const path of runBy(command)) {
      const real = realPathOf(path);
      const others = writers.filter((each) => each !== command && !runBy(each).includes(path));
      const isNamed = others.some((each) => pathsIn(each).includes(real));
      const comes =
        others.some((each) => isFilling(each)) && statSync(real, { throwIfNoEntry: false }) === undefined;
      if (written.has(real) || isNamed || comes) return `it runs ${path}, which another part of it writes`;
    }
    // A name that nothing has yet may be that of a file that comes onto the search path.
    if (
      !command.builtin &&
      command.path === undefined &&
      [...written].some((path) => programOf(path) === command.name)
    )
      return `it runs ${command.name}, which another part of it writes`;
  }
  return undefined;
}

/** Files that a command executes, or takes its orders from. */
function runBy({ argv, cwd, scripts, sources }: OutlinedCommand): string[] {
  const [program = ""] = argv;
  const own = program.includes("/") ? [isAbsolute(program) ? program : resolve(cwd, program)] : [];
  return [...own, ...scripts, ...sources.flat()];
}

/** What its words may name. */
function pathsIn({ argv, cwd }: OutlinedCommand): string[] {
  return argv
    .slice(1)
    .flatMap((word) => [word, word.slice(word.indexOf("=") + 1)])
    .filter((word) => word !== "" && !word.startsWith("-"))
    .map((word) => realPathOf(resolve(cwd, word)));
}

function isFilling({ name, argv }: OutlinedCommand): boolean {
  const program = programOf(name);
  return COPIES.test(program) || fills(program, argv);
}
