import { attempt, isWithin, parseWriter } from "@haft/system";
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { posix } from "node:path";
import { createDenyList, type DenyList, escapeGlob, type PatternContext } from "./deny.ts";
import { failure, type Request } from "./failures.ts";

export interface Guards {
  /** @throws HaftError `READ_ONLY`, `CONSENT_NEEDED` */
  check(path: string, request: Request): void;
  pins(path: string): boolean;
}

export interface GuardOptions {
  readOnly: readonly string[];
  startFiles: readonly string[];
  code: readonly string[] | (() => readonly string[]);
  projectSettings: readonly string[];
  gitPrograms?: DenyList | undefined;
  consent: readonly string[];
}

const READ_ONLY_WORDS = {
  git: {
    why: "a read-only pattern of this workspace covers `.git`, because git runs files in it",
    fix: "Let git make the change, or ask the operator to remove the pattern from the workspace's `readOnly` list.",
  },
  readOnly: {
    why: "it is read-only in this workspace, by a pattern or by its mount in the sandbox",
    fix: "Ask the user to change it, or to remove it from its list. In a sandbox, haft sandbox explain lists read-only paths.",
  },
  startFiles: {
    why: "it is one of the user's start files, whose content runs automatically at the next login, shell or git",
    fix: "Tell the user the change, or ask the operator to remove it from the workspace's `startFiles` list.",
  },
  code: {
    why: "it is, or leads to, code that the running host loads later",
    fix: "Change a copy of it elsewhere; to work on Haft itself, run it from another installation.",
  },
} as const;

const CONSENT_WORDS = {
  why: "it is a project setting that starts programs automatically, so a change needs consent",
  fix: "Use write, edit or apply_patch in a session with approvals, or ask the user to change it.",
};

const GIT_PROGRAM_WORDS = {
  ...CONSENT_WORDS,
  why: "git, or a program that git starts, runs this file, so a change needs consent",
};

const NOTHING: DenyList = { denies: () => false, pins: () => false };

export function createGuards(options: GuardOptions, context: PatternContext): Guards {
  const { consent, gitPrograms = NOTHING } = options;
  const readOnly = createDenyList(options.readOnly, context);
  const code = lazyList(() => {
    const paths = typeof options.code === "function" ? options.code() : options.code;
    return createDenyList(paths.map(escapeGlob), context);
  });
  const settings = createDenyList(options.projectSettings, { ...context, rootNames: true });
  const startFiles = lazyList(() => startFileList(options.startFiles, context));
  const refusing = [
    {
      list: createDenyList(
        options.readOnly.filter((pattern) => posix.basename(pattern) === ".git"),
        context,
      ),
      words: READ_ONLY_WORDS.git,
    },
    { list: readOnly, words: READ_ONLY_WORDS.readOnly },
    { list: code, words: READ_ONLY_WORDS.code },
    { list: startFiles, words: READ_ONLY_WORDS.startFiles },
  ];
  return {
    check(path, request) {
      const covering = refusing.find(({ list }) => list.denies(path));
      if (covering !== undefined) throw failure("READ_ONLY", request, covering.words);
      const isAgreed = (): boolean => consent.some((agreed) => belongsTo(path, agreed));
      const words = settings.denies(path)
        ? CONSENT_WORDS
        : gitPrograms.denies(path)
          ? GIT_PROGRAM_WORDS
          : undefined;
      if (words !== undefined && !isAgreed()) {
        const details = { place: path, ...(words === GIT_PROGRAM_WORDS ? { startedBy: "git" } : {}) };
        throw failure("CONSENT_NEEDED", request, { ...words, details });
      }
    },
    pins: (path) => [readOnly, code, startFiles, settings, gitPrograms].some((list) => list.pins(path)),
  };
}

/** Covers the path, folders created on the way to it, and its temporary files. */
function belongsTo(path: string, agreed: string): boolean {
  if (isWithin(agreed, path)) return true;
  return posix.dirname(path) === posix.dirname(agreed) && parseWriter(posix.basename(path)) !== undefined;
}

function lazyList(make: () => DenyList): DenyList {
  let made: DenyList | undefined;
  const list = () => (made ??= make());
  return { denies: (path) => list().denies(path), pins: (path) => list().pins(path) };
}

function startFileList(patterns: readonly string[], context: PatternContext): DenyList {
  const home = attempt(() => realpathSync(context.home)) ?? context.home;
  const targets = expandHome(patterns, home).flatMap((path) => {
    const { target, links } = followLinks(home, path);
    return links.length === 0 ? [] : [...links, ...(target === undefined ? [] : [target])].map(escapeGlob);
  });
  const really = createDenyList([...patterns, ...new Set(targets)], { ...context, home });
  if (home === context.home) return really;
  const spelled = createDenyList(patterns, context);
  return {
    denies: (path) => really.denies(path) || spelled.denies(path),
    pins: (path) => really.pins(path) || spelled.pins(path),
  };
}

/** Skips patterns with wildcards. */
export function expandHome(patterns: readonly string[], home: string): string[] {
  return patterns
    .filter((pattern) => pattern.startsWith("~/"))
    .flatMap((pattern) => expandBraces(pattern.slice(2)))
    .filter((path) => !/[*?[\]{}]/.test(path))
    .map((path) => posix.join(home, path));
}

function expandBraces(pattern: string): string[] {
  const match = /^([^{]*)\{([^{}]*)\}(.*)$/.exec(pattern);
  if (match === null) return [pattern];
  const [, before = "", words = "", after = ""] = match;
  return words.split(",").flatMap((word) => expandBraces(before + word + after));
}

const MOST_LINKS = 40;

interface Followed {
  target?: string;
  links: string[];
}

/** Unlike `realpath`, also follows links to missing files. */
function followLinks(from: string, path: string): Followed {
  const links: string[] = [];
  const waiting = path.slice(from.length).split("/");
  let real = from;
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const next = posix.resolve(real, name === "" ? "." : name);
    const leads = linkTarget(next);
    if (leads === undefined) {
      real = next;
      continue;
    }
    links.push(next);
    if (links.length > MOST_LINKS) return { links: [...new Set(links)] };
    if (leads.startsWith("/")) real = "/";
    waiting.unshift(...leads.split("/"));
  }
  return { target: real, links };
}

/** An unreadable path counts as no link. */
function linkTarget(path: string): string | undefined {
  return attempt(() => {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? readlinkSync(path) : undefined;
  });
}
