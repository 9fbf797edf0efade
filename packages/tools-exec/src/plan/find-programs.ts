import type { CommandTemplate } from "@haft/commands";
import type { FileIdentity, Processes, ProcessSpec, Workspace } from "@haft/plugin-sdk";
import { posix } from "node:path";
import type { RedirectTarget } from "./grants/redirect-facts.ts";
import { parseInterpreters, type NamedInterpreter } from "./interpreters.ts";
import { findNodeMains } from "./node-main.ts";

/** With more names, nothing is checked or bound. */
const MAX_NAMES = 2_000;
const MAX_INTERPRETERS = 4;

export type FileIdentities = ReadonlyMap<string, FileIdentity | undefined>;

export interface CommandPlanContext {
  workspace: Workspace;
  processes: Processes;
  where: Pick<ProcessSpec, "cwd" | "env" | "outside">;
}

interface FoundPrograms {
  cwd: FileIdentity;
  /** Hash of the variables without the host's temporary folder. */
  portableEnvironment: string;
  shell: FileIdentity | undefined;
  programs: FileIdentities;
  /** By the name of the script. */
  interpreters: ReadonlyMap<string, readonly Interpreter[]>;
}

interface FoundFiles {
  scripts: FileIdentities;
  sources: FileIdentities;
  isTooMuch: boolean;
}

export interface ResolvedPlanFiles extends FoundPrograms, FoundFiles {
  /** Settings that must stay unchanged or missing, and are not shown. */
  guards: FileIdentities;
  targets: FileIdentities;
  redirects: readonly RedirectTarget[];
}

interface Interpreter extends NamedInterpreter {
  found: FileIdentity | undefined;
}

export async function findPrograms(
  { processes, where }: CommandPlanContext,
  { commands, unclear }: CommandTemplate,
  shell: string,
): Promise<FoundPrograms> {
  const programs = unique(commands.flatMap((command) => command.programs));
  // Copies of shells matter only if a program can be trusted with any arguments.
  const copies = unclear === undefined && commands.every(({ carrier }) => carrier === undefined);
  const names = [{ name: shell, shell: true }, ...programs.map((name) => ({ name, copies, hash: true }))];
  const looked = await processes.identify(names, where);
  const { cwd, environment, portableEnvironment = environment, files } = looked;
  const [ofShell, ...others] = files;
  const found = new Map(programs.map((name, at) => [name, others[at]]));
  const interpreters = await findInterpreters({ processes, where }, found);
  return { cwd, portableEnvironment, shell: ofShell, programs: found, interpreters };
}

export async function findFiles(
  context: CommandPlanContext,
  { commands }: CommandTemplate,
): Promise<FoundFiles> {
  const scripts = unique(commands.flatMap((command) => command.scripts));
  const groups = commands.flatMap((command) => command.sources);
  const names = unique([...scripts, ...groups.flat()]);
  if (names.length > MAX_NAMES) return { scripts: new Map(), sources: new Map(), isTooMuch: true };
  const found = await hashed(context, names);
  const sources = deciding(groups, found);
  const folders = scripts.filter((script) => found.get(script)?.isFolder === true);
  const mains = await findNodeMains(context.workspace.fs, folders, sources);
  const ofMains = deciding(mains, await hashed(context, mains.flat()));
  return {
    scripts: new Map(scripts.map((script) => [script, found.get(script)])),
    sources: new Map([...sources, ...ofMains]),
    isTooMuch: false,
  };
}

async function hashed(
  { processes, where }: CommandPlanContext,
  paths: readonly string[],
): Promise<FileIdentities> {
  if (paths.length === 0) return new Map();
  const names = paths.map((name) => ({ name, hash: true }));
  const { files } = await processes.identify(names, where);
  return new Map(paths.map((path, at) => [path, files[at]]));
}

function deciding(groups: readonly (readonly string[])[], found: FileIdentities): FileIdentities {
  return new Map(groups.flatMap((group) => untilFirst(group, found)).map((path) => [path, found.get(path)]));
}

/** Missing paths before the first file would take precedence. */
function untilFirst(group: readonly string[], found: FileIdentities): readonly string[] {
  const isFile = (path: string): boolean => {
    const one = found.get(path);
    return one !== undefined && one.isFolder !== true;
  };
  const first = group.findIndex(isFile);
  const named = first < 0 ? group : group.slice(0, first + 1);
  return named.filter((path) => found.get(path)?.isFolder !== true);
}

async function findInterpreters(
  { processes, where }: Pick<CommandPlanContext, "processes" | "where">,
  programs: FileIdentities,
): Promise<Map<string, readonly Interpreter[]>> {
  const chains = new Map<string, readonly Interpreter[]>();
  for (const [program, file] of programs) {
    const chain: Interpreter[] = [];
    let script = file;
    for (let depth = 0; depth < MAX_INTERPRETERS && script?.shebang !== undefined; depth++) {
      const named = parseInterpreters(script.shebang);
      const names = named.map(({ name }) => ({ name, hash: true }));
      const { files } = await processes.identify(names, where);
      chain.push(...named.map((one, at) => ({ ...one, found: files[at] })));
      script = files.at(-1);
    }
    if (chain.length > 0) chains.set(program, chain);
  }
  return chains;
}

const unique = (all: readonly string[]): string[] => [...new Set(all)];

/** Includes files that must be missing. */
export function listExpectedFiles({
  cwd,
  programs,
  interpreters,
  scripts,
  sources,
  guards,
  targets,
  redirects,
}: ResolvedPlanFiles): FileIdentity[] {
  const opened = redirects.filter(({ path }) => !isDevice(path));
  const runners = [...interpreters.values()].flat().map(({ name, found }) => [name, found] as const);
  const started = [...programs, ...runners];
  const there = [
    cwd,
    ...started.map(([name, one]) => one && (isPath([name]) ? one : { ...one, name })),
    ...scripts.values(),
    ...sources.values(),
    ...guards.values(),
    ...targets.values(),
    ...opened.flatMap(({ identity, folder }) => [identity, folder]),
  ];
  const named = [...programs]
    .filter(isPath)
    .map(([name, one]) => [posix.resolve(cwd.realPath, name), one] as const);
  const absent = [...named, ...scripts, ...sources, ...guards].filter(([, one]) => one === undefined);
  return [
    ...new Map(
      there.flatMap((one) =>
        one === undefined ? [] : [[`${one.name ?? ""}\0${one.path}`, unread(one)] as const],
      ),
    ).values(),
    ...started.flatMap((one) => {
      const [name, found] = one;
      return found === undefined && !isPath(one)
        ? [{ name, path: name, realPath: name, version: "absent" }]
        : [];
    }),
    ...absent.map(([path]) => ({ path, realPath: path, version: "absent" })),
    ...opened.flatMap(({ path, realPath, identity }) =>
      identity === undefined ? [{ path, realPath, version: "absent", isTarget: true as const }] : [],
    ),
  ];
}

const isPath = ([name]: readonly [string, ...unknown[]]): boolean => name.includes("/");

/** Content depends on the process and times on use. No session can replace them. */
const isDevice = (path: string): boolean => /^\/(?:dev(?!\/+shm\/)|proc)\//.test(posix.normalize(path));

function unread(one: FileIdentity): FileIdentity {
  const { content: _, ...identity } = one;
  return identity;
}
