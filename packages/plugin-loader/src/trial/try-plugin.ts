import { LOADING_MS } from "@haft/config/internal/defaults";
import type { PluginReference } from "@haft/config/internal/document";
import { getModuleGuard, type ModuleGuard } from "@haft/config/internal/trust";
import { getErrorMessage } from "@haft/core";
import { runningNode, startProgram } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { randomUUID } from "node:crypto";
import { findPackageJSON } from "node:module";
import { dirname, sep } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { DescribedPlugin, PluginProblem } from "../describe/describe-plugin.ts";
import { areAllMissing, readStamps } from "../describe/file-stamps.ts";
import { type PluginRecord, getTrialFingerprint } from "../load/plugin-record.ts";
import { resolvePlugin } from "../load/resolve-plugin.ts";
import { compareManifest } from "../manifest/compare-manifest.ts";
import { MANIFEST_FILE, type Manifest, toManifest } from "../manifest/manifest.ts";
import { findManifestFile, readManifestFile } from "../manifest/read-manifest.ts";
import { readPackageJson } from "../packages/read-dependency.ts";
import { MAX_STARVED_LIMITS, getProgramArguments, watchSilence } from "./child-program.ts";
import { endTrial, TRIAL_VARIABLE } from "./end-trial.ts";
import { readTrialLine, type TrialLine } from "./trial-lines.ts";

/** In milliseconds. Another process may hold the descriptor. */
const LONGEST_CLOSING_MS = 10_000;
const LONGEST_PRINT = 2_000;

/** Configures {@link tryPlugin}. */
export interface TrialOptions {
  /** Limits the loading, in milliseconds. Default 10,000. */
  limitMs?: number;
  /** Contains the last record. */
  before?: PluginRecord | undefined;
  /** Ignores the manifest of the package. Default false. */
  ignoreManifest?: boolean;
  /** Guards the files that the trial loads. */
  guards?: readonly ModuleGuard[];
}

/**
 * Loads a plugin in a separate process, and then kills it with everything that it started. A plugin that loops, exits or hangs affects only
 * that process. No tool and no factory runs.
 *
 * @returns the new record, which is not stored
 * @example
 * ```ts
 * import { tryPlugin } from "@haft/plugin-loader/internal/check";
 * const { plugin, problem } = await tryPlugin({ use: "./weather.ts", from: process.cwd(), source: "my program" });
 * console.log(problem?.message ?? `${plugin?.id} can be used.`);
 * ```
 */
export async function tryPlugin(
  placed: PluginReference,
  { limitMs = LOADING_MS, before, ignoreManifest = false, guards: more = [] }: TrialOptions = {},
): Promise<PluginRecord> {
  const { use, from, source } = placed;
  const guards = [getModuleGuard(source), ...more].filter((guard) => guard !== undefined);
  const found = await resolvePlugin(placed, guards);
  const record = {
    use,
    from,
    triedWith: getTrialFingerprint(),
    triedAt: Date.now(),
    loader: "node",
    notes: [],
  } as const;
  if ("problem" in found) {
    const { problem, searched, missing, isRefused } = found;
    return withoutUndefined({
      ...record,
      // No file shows later trust.
      ...(isRefused === true && { triedWith: "" }),
      problem,
      files: readStamps(searched),
      missing,
      before: known(before),
    });
  }
  const { file } = found;
  const used = new Set([file]);
  const request = { file, name: use, limitMs, guards };
  const trial = await runTrial(request, used).catch((thrown: unknown) => notTried(use, thrown));
  const ended = trial.result;
  const described = "described" in ended ? ended.described : undefined;
  const judged: JudgedManifest = ignoreManifest ? { notes: [] } : judgeManifest(file, described);
  if (judged.file !== undefined) used.add(judged.file);
  const { manifest } = judged;
  // The manifest that exists is among the used files.
  const missing = new Set([...trial.missing, ...(judged.file === undefined ? [] : [judged.file])]);
  return withoutUndefined<PluginRecord>({
    ...record,
    ...((trial.isTried === false || ("problem" in ended && ended.isUntrusted === true)) && { triedWith: "" }),
    file,
    package: packageOf(file),
    files: readStamps(used),
    missing: [...missing].filter((path) => areAllMissing([path])),
    notes: [...("described" in ended ? ended.notes : []), ...trial.notes, ...judged.notes],
    manifest,
    ...outcomeOf(ended, judged, before),
  });
}

function outcomeOf(
  ended: Trial["result"],
  { problem, manifest }: JudgedManifest,
  before: PluginRecord | undefined,
): Pick<PluginRecord, "loader" | "plugin"> | Partial<Pick<PluginRecord, "problem" | "before">> {
  if ("described" in ended && problem === undefined) return { loader: ended.loader, plugin: ended.described };
  const lastKnown =
    "described" in ended
      ? { id: ended.described.id, names: namesOf(ended.described) }
      : (known(before) ?? (manifest && { id: manifest.id, names: manifest.tools.map(({ name }) => name) }));
  const why = "described" in ended ? problem! : ended.problem;
  return withoutUndefined<Partial<Pick<PluginRecord, "problem" | "before">>>({
    problem: why,
    before: lastKnown,
  });
}

function known(before: PluginRecord | undefined): PluginRecord["before"] {
  if (before?.plugin === undefined) return before?.before;
  return { id: before.plugin.id, names: namesOf(before.plugin) };
}

function namesOf({ registrations }: DescribedPlugin): string[] {
  return registrations.flatMap(({ names }) => names);
}

interface Trial {
  result: Extract<TrialLine, { problem: PluginProblem } | { loader: unknown }>;
  missing: readonly string[];
  notes: readonly string[];
  isTried?: boolean;
}

interface TrialRequest {
  file: string;
  name: string;
  limitMs: number;
  guards: readonly ModuleGuard[];
}

async function runTrial({ file, name, limitMs, guards }: TrialRequest, used: Set<string>): Promise<Trial> {
  const mark = randomUUID();
  const isGuarded = guards.length > 0;
  const child = startProgram(
    runningNode(),
    [
      ...getProgramArguments(import.meta.url, "trial-main"),
      file,
      name,
      String(limitMs * MAX_STARVED_LIMITS),
      ...(isGuarded ? ["guarded"] : []),
    ],
    {
      // A process group is killed as a whole.
      env: { ...process.env, [TRIAL_VARIABLE]: mark },
      detached: true,
      stdio: [isGuarded ? "pipe" : "ignore", "pipe", "pipe", "pipe"],
    },
  );
  // An ended process has reported the reason.
  child.stdin?.on("error", () => {}).end(JSON.stringify(guards));
  const missing: string[] = [];
  let result: Trial["result"] | undefined;
  let exit: number | undefined;
  let isLate = false;
  const watched = watchSilence(child.pid, limitMs, () => {
    isLate = true;
    endTrial(child.pid, mark);
  });
  const printed = keepStart(child.stdout!);
  const complained = keepStart(child.stderr!);
  const ended = new Promise<{ code: number | null; signal: string | null; failed?: Error }>((resolve) => {
    child.once("error", (failed) => resolve({ code: null, signal: null, failed }));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const lines = createInterface({ input: child.stdio[3] as Readable });
  lines.on("line", (line) => {
    const parsed = readTrialLine(line);
    if (parsed === undefined) return;
    if ("uses" in parsed) used.add(parsed.uses);
    else if ("misses" in parsed) missing.push(parsed.misses);
    else if ("exit" in parsed) exit = parsed.exit;
    else result ??= parsed;
  });
  const closed = new Promise((resolve) => void lines.once("close", resolve));
  const { code, signal, failed } = await ended;
  watched.stop();
  endTrial(child.pid, mark);
  if (failed === undefined)
    await Promise.race([closed, sleep(LONGEST_CLOSING_MS, undefined, { ref: false })]);
  for (const stream of child.stdio) (stream as Readable | null)?.destroy();
  const problem = (why: string, fix: string, last = lastLine(complained())): Trial["result"] => ({
    problem: { code: "PLUGIN_UNLOADABLE", message: `${name} ${why}.${last}`, fix },
  });
  const fix = "Report it to the plugin's author, or leave the plugin out.";
  const notes = printed() === "" ? [] : [printing(printed())];
  if (result !== undefined && !isLate) return { result, missing, notes };
  if (failed !== undefined) return notTried(name, failed);
  if (isLate)
    return {
      result: problem(
        `was not loaded after ${limitMs / 1000} seconds: it loops, or waits for something`,
        "A module of a plugin defines tools and does no work; that is for their calls.",
      ),
      missing,
      notes,
    };
  if (exit === 13)
    return {
      // The last line ends Node's excerpt of the code.
      result: problem("waits forever: an await never ends", fix, ""),
      missing,
      notes,
    };
  const how = exit === undefined ? `by ${signal ?? `exit code ${code}`}` : `with exit code ${exit}`;
  return { result: problem(`ended the process while it was loaded, ${how}`, fix), missing, notes };
}

function notTried(name: string, thrown: unknown): Trial {
  const message = `${name} could not be tried: ${getErrorMessage(thrown)}.`;
  const problem: PluginProblem = { code: "PLUGIN_UNLOADABLE", message, fix: "Start Haft again." };
  return { result: { problem }, missing: [], notes: [], isTried: false };
}

function keepStart(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    if (text.length < LONGEST_PRINT) text += chunk.slice(0, LONGEST_PRINT - text.length);
  });
  stream.on("error", () => {});
  return () => text;
}

function printing(text: string): string {
  const start = JSON.stringify(text.trim().slice(0, 60));
  return `It prints to standard output while it is loaded (${start}); that goes to standard error, since answers are on standard output.`;
}

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1)!.trim();
  return line === "" ? "" : ` It said last: ${line.slice(0, 200)}`;
}

function packageOf(file: string): PluginRecord["package"] {
  const manifest = findPackageJSON(pathToFileURL(file));
  if (manifest === undefined || !file.includes(`${sep}node_modules${sep}`)) return undefined;
  const folder = dirname(manifest);
  const { name = "", version = "" } = (readPackageJson(folder) ?? {}) as Record<string, string>;
  return { name, version, folder };
}

interface JudgedManifest {
  file?: string;
  manifest?: Manifest;
  problem?: PluginProblem;
  notes: readonly string[];
}

function judgeManifest(module: string, described: DescribedPlugin | undefined): JudgedManifest {
  const file = findManifestFile(module);
  const found = file === undefined ? undefined : readManifestFile(file);
  if (file === undefined || found === undefined) return { ...(file && { file }), notes: [] };
  if ("problem" in found) return { file, notes: [], problem: wrong(`${file} ${found.problem}.`) };
  const { manifest } = found;
  if (described === undefined) return { file, manifest, notes: [] };
  // A folder of several plugins may contain other code.
  const isInstalled = module.includes(`${sep}node_modules${sep}`);
  if (!isInstalled && manifest.id !== described.id) return { file, notes: [] };
  const { untrue, outdated } = compareManifest(
    manifest,
    toManifest(described, readPackageJson(dirname(file))),
  );
  if (untrue.length > 0)
    return {
      file,
      notes: [],
      problem: wrong(
        `${file} is not true of plugin "${described.id}": ${untrue.slice(0, MAX_DIFFERENCES).join("; ")}.`,
      ),
    };
  const notes =
    outdated.length === 0
      ? []
      : [
          `${MANIFEST_FILE} says otherwise than its code: ${outdated.slice(0, MAX_DIFFERENCES).join(", ")}. haft plugins manifest generates it again.`,
        ];
  return { file, manifest, notes };
}

const MAX_DIFFERENCES = 8;

function wrong(message: string): PluginProblem {
  return {
    code: "MANIFEST_WRONG",
    message,
    fix: "Install another version, or ask its author to regenerate the manifest: haft plugins manifest.",
  };
}
