import type { ModuleGuard } from "@haft/config/internal/trust";
import type { PluginReport } from "@haft/plugin-loader";
import { type CheckOrder, toFolderEntry } from "@haft/plugin-loader/internal/check";
import {
  installPackage,
  type PackageSpec,
  parsePackageSpec,
  readPackageJson,
  reportRecord,
} from "@haft/plugin-loader/internal/plugins";
import type { CheckResult } from "@haft/plugin-sdk/testing";
import { withoutUndefined, escapeInvisible } from "@haft/utils";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { styleText } from "node:util";
import { runInterruptible } from "../call/signal-listener.ts";
import { usesNetwork, UNCONTROLLED_NETWORK } from "../describe-network.ts";
import { readStateValue } from "../location/state-value.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { parseInteger, UsageError } from "../usage.ts";
import { effectsText } from "./describe-tools.ts";
import { createPluginNotNamedError } from "./info.ts";
import { updateManifest } from "./manifest.ts";
import { findReports, type PluginsValues, withSurvey } from "./open-survey.ts";
import { formatHomePath, referenceFromReport } from "./plugins-target.ts";
import { showProgress } from "./progress.ts";

type CheckValues = PluginsValues & { seed?: string; limit?: string; fix?: boolean; verbose?: boolean };

interface Finding {
  severity: "error" | "note";
  code?: string;
  message: string;
  fix?: string;
}

interface Checked {
  plugin: string;
  ok: boolean;
  report: PluginReport;
  findings: readonly Finding[];
  checks: readonly CheckResult[];
  /** Repeats the same calls. */
  seed?: number | undefined;
}

interface Looking {
  values: CheckValues;
  signal: AbortSignal;
  numbers: Pick<CheckOrder, "seed" | "runs">;
  guards?: readonly ModuleGuard[];
}

/** Names of tools in the summary without --verbose. */
const MAX_NAMED = 20;

interface Checkable {
  use: string;
  from: string;
}

export function checkPlugins(values: CheckValues, words: readonly string[]): Promise<number> {
  const numbers = withoutUndefined<Looking["numbers"]>({
    seed: numberOf("--seed", values.seed),
    runs: numberOf("--limit", values.limit),
  });
  return runInterruptible(values.json, async (signal) => {
    const results: Checked[] = [];
    for (const word of words.length === 0 ? ["."] : words)
      results.push(await checkOne(word, { values, signal, numbers }));
    const ok = results.every((result) => result.ok);
    if (values.json) console.log(JSON.stringify({ ok, plugins: results }));
    else {
      const { formatCheck } = await import("@haft/plugin-sdk/testing");
      for (const result of results) print(result, formatCheck, values.verbose === true);
    }
    return ok ? 0 : 1;
  });
}

async function checkOne(word: string, looking: Looking): Promise<Checked> {
  const isHere = /^[^./~]/.test(word) && existsSync(resolve(word));
  const spec = parsePackageSpec(isHere ? `./${word}` : word, process.cwd());
  if (looking.values.fix && spec.from !== "folder" && spec.from !== "module")
    throw new UsageError("--fix writes the haft.plugin.json of your own package: name its folder.");
  if (spec.from === "registry") return checkNamed(word, looking);
  if (spec.from === "archive") return checkArchive(spec, looking);
  const file = spec.from === "folder" ? toFolderEntry(spec.path) : spec.path;
  return inspect({ use: file, from: dirname(file) }, looking);
}

async function checkNamed(word: string, looking: Looking): Promise<Checked> {
  const { values } = looking;
  const report = await withSurvey(values, async ({ reports }) => {
    const [found] = findReports(word, reports);
    if (found === undefined) throw createPluginNotNamedError(word, reports);
    return found;
  });
  const placed = referenceFromReport(report);
  const { getPluginRecord } = await import("@haft/plugin-loader/internal/plugins");
  const record = await getPluginRecord(placed, {
    stateDir: readStateValue(values.state),
    warn: (message) => stderrLogger.warn(message),
    again: true,
  });
  if (report.state === "withheld") return judge(report);
  const { getPinGuard } = await import("@haft/plugin-loader/internal/plugins");
  const { getModuleGuard } = await import("@haft/config/internal/trust");
  const guards = [getModuleGuard(report.source), getPinGuard(record)].filter((guard) => guard !== undefined);
  return inspect(placed, { ...looking, guards });
}

async function checkArchive(
  spec: Extract<PackageSpec, { from: "archive" }>,
  looking: Looking,
): Promise<Checked> {
  const { signal } = looking;
  const folder = mkdtempSync(join(tmpdir(), "haft-check-"));
  try {
    const options = {
      target: { folder, as: "user" as const },
      allowScripts: false,
      withProgress: showProgress,
      signal,
    };
    return await installPackage(spec, options, () => inspect({ use: spec.name, from: folder }, looking));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Calls the plugin's tools in separate processes, without storing anything. */
async function inspect(
  { use, from }: Checkable,
  { values: { fix: fixes = false }, numbers, signal, guards = [] }: Looking,
): Promise<Checked> {
  const source = "haft plugins check";
  const { tryPlugin } = await import("@haft/plugin-loader/internal/check");
  const record = await tryPlugin({ use, from, source }, { ignoreManifest: true, guards });
  const state = record.problem === undefined ? "ready" : "broken";
  const report = reportRecord(record, { source, state, replaces: [] });
  const { file, loader } = record;
  if (file === undefined || record.problem !== undefined) return judge(report);
  if (fixes) {
    const written = updateManifest(record);
    if (written !== undefined) console.error(`haft: Wrote ${formatHomePath(written)}.`);
  }
  const again = await tryPlugin({ use, from, source }, { ignoreManifest: true, guards });
  const { runCheck, checkManifest, checkCopies, checkPackage, compareDescriptions } =
    await import("@haft/plugin-loader/internal/check");
  const order = withoutUndefined<CheckOrder>({
    file,
    loader,
    name: use,
    guards: guards.map((guard) => guard.toJSON()),
    ...numbers,
  });
  const name = report.id ?? use;
  const run = () => runCheck(order, { signal });
  const { checks, seed } = await (process.stderr.isTTY ? showProgress(`checking ${name}`, run) : run());
  return judge(report, {
    checks: [
      ...checkPackage(record),
      ...checkManifest(record),
      ...checkCopies(record),
      ...(record.plugin && again.plugin ? compareDescriptions(record.plugin, again.plugin) : []),
      ...checks,
    ],
    seed,
  });
}

function judge(report: PluginReport, found: Partial<Pick<Checked, "checks" | "seed">> = {}): Checked {
  const { use, id, problem, notes } = report;
  const { checks = [], seed } = found;
  const findings: Finding[] = [
    ...(problem === undefined ? [] : [{ severity: "error", ...problem } as const]),
    // Other checks cover the tools that the registry accepts.
    ...checks.flatMap(({ code, message, fix }): Finding[] =>
      code === undefined ? [] : [withoutUndefined<Finding>({ severity: "error", code, message, fix })],
    ),
    ...[...notes, ...liesOf(report)].map((message): Finding => ({ severity: "note", message })),
  ];
  const ok = problem === undefined && !checks.some(({ status }) => status === "problem");
  return withoutUndefined<Checked>({ plugin: id ?? use, ok, report, findings, checks, seed });
}

function liesOf({ file, version, package: installed }: PluginReport): string[] {
  const folder = installed?.folder ?? (file && dirname(file));
  const manifest = folder === undefined ? undefined : readPackageJson(folder);
  const notes: string[] = [];
  if (manifest?.["haft"] !== undefined)
    notes.push('Haft ignores "haft" in its package.json, and loads the plugin to find its tools.');
  if (typeof manifest?.["version"] === "string" && version !== undefined && manifest["version"] !== version)
    notes.push(`Its version is ${version}, but its package.json has ${manifest["version"]}.`);
  return notes;
}

function print(
  { plugin, ok, report, findings, checks, seed }: Checked,
  formatCheck: (check: CheckResult) => string,
  isVerbose: boolean,
): void {
  const { version, tools } = report;
  const title = `${ok ? "✓" : "✗"} ${[plugin, version].filter(Boolean).join(" ")}`;
  const names = tools.map(
    ({ name, effects }) => `${name}${effects === undefined ? "" : ` (${effectsText(effects)})`}`,
  );
  console.log(styleText(ok ? "green" : "red", escapeInvisible(title)));
  if (!isVerbose && names.length > MAX_NAMED)
    names.splice(MAX_NAMED, names.length, `and ${names.length - MAX_NAMED} more`);
  if (names.length > 0) console.log(escapeInvisible(`  tools: ${names.join(", ")}`));
  if (tools.some(usesNetwork)) console.log(`  network: ${UNCONTROLLED_NETWORK}`);
  for (const { severity, code, message, fix } of findings) {
    console.error(escapeInvisible(`  ${severity}: ${message}${severity === "error" ? ` [${code}]` : ""}`));
    if (fix !== undefined) console.error(escapeInvisible(`    ${fix}`));
  }
  const uncoded = checks.filter(({ code }) => code === undefined);
  const shown = isVerbose ? uncoded : uncoded.filter(({ status }) => status !== "ok");
  for (const check of shown) console.log(formatCheck(check).replaceAll(/^/gm, "  "));
  const passed = uncoded.length - shown.length;
  if (passed > 0) console.log(`  ${passed} checks passed; --verbose lists them.`);
  if (seed !== undefined && !ok) console.log(`  To repeat the same calls: --seed ${seed}`);
}

function numberOf(option: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseInteger(option, text);
}
