import { escapeInvisible } from "@haft/core/internal";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { styleText } from "node:util";
import { placePlugin } from "../../config/placed-plugins.ts";
import { createHost } from "../../host/host.ts";
import { surveyPlugins } from "../../host/survey-plugins.ts";
import { entryOf } from "../../plugins/install/folder-entry.ts";
import { installPackage } from "../../plugins/packages/install-package.ts";
import { type PackageSpec, readSpec } from "../../plugins/packages/package-spec.ts";
import { readManifest } from "../../plugins/packages/pinned.ts";
import type { PluginReport } from "../../plugins/plugin-report.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { effectsOf } from "./describe-tools.ts";
import { notNamed } from "./info.ts";
import { interruptible } from "./interruptible.ts";
import { called, SILENT, withSurvey } from "./open-survey.ts";
import type { PluginsAction, PluginsValues } from "./plugins-action.ts";
import { stateOf } from "./plugins-place.ts";
import { working } from "./progress.ts";

/** What is wrong with a plugin, or could be better. */
interface Finding {
  severity: "error" | "note";
  /** Of an error. */
  code?: string;
  message: string;
  fix?: string;
}

/** What came of looking at one. */
interface Checked {
  plugin: string;
  ok: boolean;
  report: PluginReport;
  findings: readonly Finding[];
}

/** Where a plugin is that is checked. */
interface Checkable {
  use: string;
  from: string;
}

export const checkPlugins: PluginsAction = (words, values) =>
  interruptible(values.json, async (signal) => {
    const results: Checked[] = [];
    for (const word of words.length === 0 ? ["."] : words) results.push(await checkOne(word, values, signal));
    const ok = results.every((result) => result.ok);
    if (values.json) console.log(JSON.stringify({ ok, plugins: results }));
    else for (const result of results) print(result);
    return ok ? 0 : 1;
  });

async function checkOne(word: string, values: PluginsValues, signal: AbortSignal): Promise<Checked> {
  const isHere = /^[^./~]/.test(word) && existsSync(resolve(word));
  const spec = readSpec(isHere ? `./${word}` : word, process.cwd());
  if (spec.from === "registry") return checkNamed(word, values);
  if (spec.from === "archive") return checkArchive(spec, signal);
  const file = spec.from === "folder" ? entryOf(spec.path) : spec.path;
  return look({ use: file, from: dirname(file) });
}

/** One that a configuration names, tried anew. */
async function checkNamed(word: string, values: PluginsValues): Promise<Checked> {
  const report = await withSurvey(values, async ({ reports }) => {
    const [found] = called(word, reports);
    if (found === undefined) throw notNamed(word, reports);
    return found;
  });
  const { use, source } = report;
  const placed = { use, from: dirname(source === "--plugin" ? use : source), source };
  const { recordOf } = await import("../../plugins/open-plugins.ts");
  await recordOf(placed, {
    stateDir: stateOf(values),
    tell: (message) => stderrLogger.warn(message),
    again: true,
  });
  return report.state === "withheld" ? judge(report, []) : look(placed);
}

/** Unpacked with what it needs, somewhere else. */
async function checkArchive(
  spec: Extract<PackageSpec, { from: "archive" }>,
  signal: AbortSignal,
): Promise<Checked> {
  const folder = mkdtempSync(join(tmpdir(), "haft-check-"));
  try {
    const options = { place: { folder, as: "user" }, allowScripts: false, working, signal };
    return await installPackage(spec, options, () => look({ use: spec.name, from: folder }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In a host of its own, which tries it in a child and then opens a session's tools; nothing is kept. */
async function look({ use, from }: Checkable): Promise<Checked> {
  const plugin = placePlugin(use, { from, source: "haft plugins check" });
  const host = await createHost({
    plugins: [plugin],
    stateDir: false,
    administratorPolicy: false,
    logger: SILENT,
  });
  try {
    const { plugins, diagnostics } = await surveyPlugins(host);
    const report = plugins.find(({ source }) => source !== "built-in")!;
    const findings = diagnostics
      .filter(({ pluginId, code }) => pluginId === (report.id ?? "") && code !== report.problem?.code)
      .map(({ code, message, fix }): Finding => ({ severity: "error", code, message, fix }));
    return judge(report, findings);
  } finally {
    await host.close();
  }
}

function judge(report: PluginReport, found: readonly Finding[]): Checked {
  const { use, id, problem, notes } = report;
  const findings: Finding[] = [
    ...(problem === undefined ? [] : [{ severity: "error", ...problem } as const]),
    ...found,
    ...[...notes, ...liesOf(report)].map((message): Finding => ({ severity: "note", message })),
  ];
  return { plugin: id ?? use, ok: !findings.some(({ severity }) => severity === "error"), report, findings };
}

/** What a package says of itself, and is not so. */
function liesOf({ file, version, package: installed }: PluginReport): string[] {
  const folder = installed?.folder ?? (file && dirname(file));
  const manifest = folder === undefined ? undefined : readManifest(folder);
  const notes: string[] = [];
  if (manifest?.["haft"] !== undefined)
    notes.push('Nobody reads "haft" in its package.json; what it offers is found out by loading it.');
  if (typeof manifest?.["version"] === "string" && version !== undefined && manifest["version"] !== version)
    notes.push(`It says that it is ${version}, and its package.json says ${manifest["version"]}.`);
  return notes;
}

function print({ plugin, ok, report, findings }: Checked): void {
  const { version, tools } = report;
  const title = `${ok ? "✓" : "✗"} ${[plugin, version].filter(Boolean).join(" ")}`;
  const names = tools.map(
    ({ name, effects }) => `${name}${effects === undefined ? "" : ` (${effectsOf(effects)})`}`,
  );
  console.log(styleText(ok ? "green" : "red", escapeInvisible(title)));
  if (names.length > 0) console.log(escapeInvisible(`  tools: ${names.join(", ")}`));
  for (const { severity, code, message, fix } of findings) {
    console.error(escapeInvisible(`  ${severity}: ${message}${severity === "error" ? ` [${code}]` : ""}`));
    if (fix !== undefined) console.error(escapeInvisible(`    ${fix}`));
  }
}
