import { isAbsolute } from "node:path";
import type { ChunkingContext, CodeSplittingOptions } from "rolldown";

/** Names of entry points → their source files, absolute. */
type Entries = Readonly<Record<string, string>>;

/**
 * Loading a file costs more than its bytes do, so what several parts of a package load lies in as few files as may be:
 *
 * - what a command loads at its start, too: it starts often, and does nothing else where it only says its version;
 * - what another program (a thread, a process) loads at its start;
 * - what the main entry point loads, which others load as well, and nothing else: authors load it, and wait for it;
 * - what several others load;
 * - what another entry point loads, in one file for each;
 * - what is only loaded later.
 *
 * In this order: what a module imports is loaded by everybody who loads the module, so it comes no later than that.
 * What one part alone loads is in the file of that part. And what loads a package that the main entry point does without is never in
 * one file with what does not: who wants the latter would load the package.
 */
export function chunksByEntry(exported: Entries, commands: Entries, workers: Entries): CodeSplittingOptions {
  const programs = { ...commands, ...workers };
  let loaders: Map<string, Set<string>> | undefined;
  let usual: Set<string> | undefined;
  const unusual = (id: string, graph: ChunkingContext) => {
    usual ??= packagesOf(Object.values(exported)[0]!, graph);
    return [...packagesOf(id, graph)].filter((name) => !usual!.has(name)).toSorted();
  };
  const place = (id: string, graph: ChunkingContext) => {
    loaders ??= loadersOf({ ...exported, ...programs }, graph);
    const all = [...(loaders.get(id) ?? [])];
    // Whoever imported the file a program is in would start it.
    if (all.length < 2 || Object.values(programs).includes(id)) return null;
    if (all.some((loader) => loader in commands)) return "command";
    if (all.some((loader) => loader in workers)) return "started";
    const entries = all.filter((loader) => loader in exported);
    if (entries.includes("index")) return "main";
    return entries.length > 1 ? "shared" : (entries[0] ?? "later");
  };
  const names = ["command", "started", "main", "shared", ...Object.keys(exported), "later"];
  const groups = names.map((name) => ({
    name: (id: string, graph: ChunkingContext) =>
      place(id, graph) === name ? [name, ...unusual(id, graph)].join("+") : null,
    debugName: name,
  }));
  return { groups };
}

/** Modules → the entry points, and the modules imported later, that cannot be loaded without them. */
function loadersOf(entries: Entries, graph: ChunkingContext): Map<string, Set<string>> {
  const loaders = new Map<string, Set<string>>();
  const starts = new Map(Object.entries(entries));
  for (const [loader, start] of starts) {
    const loaded = new Set([start]);
    for (const id of loaded) {
      loaders.set(id, (loaders.get(id) ?? new Set()).add(loader));
      const module = graph.getModuleInfo(id);
      for (const imported of module?.importedIds ?? []) loaded.add(imported);
      for (const later of module?.dynamicallyImportedIds ?? []) starts.set(later, later);
    }
  }
  return loaders;
}

/** What is installed beside a package, as far as a module cannot be loaded without it. */
function packagesOf(id: string, graph: ChunkingContext): Set<string> {
  const packages = new Set<string>();
  const loaded = new Set([id]);
  for (const each of loaded) {
    if (isInstalled(each)) packages.add(each);
    else for (const imported of graph.getModuleInfo(each)?.importedIds ?? []) loaded.add(imported);
  }
  return packages;
}

/** Modules of the package itself, and what is put into it, have a path; those of Node have a mark of the bundler. */
function isInstalled(id: string): boolean {
  return !isAbsolute(id) && !id.startsWith("\0");
}
