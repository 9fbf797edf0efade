import {
  baseName,
  COPY_PROGRAMS,
  fillsFolder,
  isReadOnlyCommand,
  type TemplateCommand,
} from "@haft/commands";
import { basename, isAbsolute, join, resolve } from "node:path";
import { resolveRealPath } from "../subjects/real-path.ts";
import { type ProtectedPaths, describeProtectedPath, type PathReach } from "./protected-paths.ts";

const WHOLE = /^(?:rm|mv|rmdir|unlink|shred|trash|ln|chmod|chown|rsync|find)$/;
/** A program that is not read-only counts as writing its arguments. */
export function describeWriteTarget(
  command: TemplateCommand,
  protectedPaths: ProtectedPaths,
): string | undefined {
  const { name, argv, cwd, scripts } = command;
  const program = baseName(name);
  if (isReadOnlyCommand(command)) return undefined;
  const isFilling = fillsFolder(program, argv);
  const reach: PathReach = WHOLE.test(program) ? "whole" : isFilling ? "into" : "itself";
  const at = (text: string) => (isAbsolute(text) ? text : resolve(cwd, text));
  const named = argv.slice(1).flatMap(textsOf).map(at);
  // Running a file does not write it.
  const violation = firstOf(named, (path) =>
    scripts.includes(path) ? undefined : describeRealPath(path, protectedPaths, reach),
  );
  if (violation !== undefined) return violation;
  if (isFilling) return describeRealPath(cwd, protectedPaths, "into");
  if (!COPY_PROGRAMS.test(program)) return undefined;
  const isDeep =
    reach === "whole" || argv.some((word) => /^-[A-Za-z]*[aRr]|^--(?:archive|recursive)/.test(word));
  const [to, from] = copied(argv);
  const path = at(to);
  // A copied folder becomes agent settings only in a project or the home folder.
  const isInto = path === cwd || path === protectedPaths.home || (to.endsWith("/") && !isAbsolute(to));
  return (
    describeRealPath(path, protectedPaths, isDeep ? "into" : "itself") ??
    firstOf(from, (source) =>
      describeRealPath(join(path, basename(source)), protectedPaths, isDeep && isInto ? "into" : "itself"),
    )
  );
}

export function describeRealPath(
  path: string,
  protectedPaths: ProtectedPaths,
  reach?: PathReach,
): string | undefined {
  return (
    describeProtectedPath(path, protectedPaths, reach) ??
    describeProtectedPath(resolveRealPath(path), protectedPaths, reach)
  );
}

function firstOf<Each>(
  all: readonly Each[],
  describe: (each: Each) => string | undefined,
): string | undefined {
  for (const each of all) {
    const found = describe(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Finds `--output=FILE`, `of=FILE`, `-C/folder`. */
function textsOf(word: string): string[] {
  const attached = /^-[A-Za-z]([./].*)$/.exec(word)?.[1];
  const texts = new Set([word, word.slice(word.indexOf("=") + 1), attached ?? ""]);
  return [...texts].filter((text) => text !== "" && !text.startsWith("-"));
}

function copied(argv: readonly string[]): [to: string, from: string[]] {
  const words = argv.slice(1);
  const option = words.findIndex((word) => /^(?:-[A-Za-z]*t|--target-directory)$/.test(word));
  const attached = words.flatMap((word) => /^(?:--target-directory=|-t)(.+)/.exec(word)?.[1] ?? [])[0];
  const named = option < 0 ? attached : words[option + 1];
  const others = words.filter((word, at) => !word.startsWith("-") && (option < 0 || at !== option + 1));
  return named === undefined ? [others.at(-1) ?? "", others.slice(0, -1)] : [named, others];
}
