import { inspect } from "@haft/inspector";
import { once } from "node:events";
import { existsSync } from "node:fs";
import {
  check,
  copyProject,
  differences,
  fixture,
  isRefused,
  findProcesses,
  takeSnapshot,
} from "./inspect.ts";
import type { DemoModel } from "./model.ts";
import { containedPart } from "./parts/contained.ts";
import { deniedPart } from "./parts/denied.ts";
import { repairPart } from "./parts/repair.ts";
import { nodePart, sandboxPart } from "./parts/sandbox.ts";
import { chatPart, formatsPart, ledgerPart, toolsPart } from "./parts/views.ts";
import { paint, darkScreen, type Screen, showChecks } from "./screen.ts";
import { createDemoHost, type Part, type Report, type Stage, type Verify } from "./session.ts";
import { partNames, type readOptions } from "./usage.ts";

const PARTS: readonly Part[] = [
  toolsPart,
  repairPart,
  deniedPart,
  sandboxPart,
  nodePart,
  containedPart,
  formatsPart,
  ledgerPart,
  chatPart,
];

/** `parts`: empty for all. `web`: a page shows calls until the signal aborts. */
export interface DemoSettings extends Pick<ReturnType<typeof readOptions>, "parts" | "keep" | "web"> {
  model: DemoModel;
  screen: Screen;
  signal: AbortSignal;
  /** The copy's folder; default temporary files. */
  temporary?: string;
}

/** Runs the parts on a fresh copy, checks the disk, cleans up, and returns a report. */
export async function runDemo(settings: DemoSettings): Promise<Report> {
  const { model, screen, keep = false, temporary } = settings;
  const { line } = screen;
  const startedAt = performance.now();
  const { kind, name } = model;
  const report: Report = { ok: false, durationMs: 0, model: { kind, name }, calls: [], checks: [] };
  line(paint.bold("Haft: an agent, its tools, and what they did"));
  line(paint.dim(`model: ${name}`));
  const copy = await copyProject(temporary);
  line(paint.dim(keep ? `copy:  ${copy.project}` : "copy:  temporary, of apps/demo/project"));
  const { checks } = report;
  try {
    await runParts(settings, report, copy);
  } finally {
    if (!keep) await copy.remove();
  }
  if (keep) report.copy = copy.project;
  const there = existsSync(keep ? copy.project : copy.root);
  const found = there ? copy.project : "its folder was removed";
  checks.push(check(keep ? "the copy is kept" : "the temporary copy is gone", there === keep, found));
  const good = checks.filter(({ ok }) => ok).length;
  report.ok = good === checks.length;
  report.durationMs = Math.round(performance.now() - startedAt);
  screen.heading("Verified on disk and in the books, by the demo itself");
  showChecks(screen, checks);
  const word = report.ok ? paint.green(paint.bold("Verified.")) : paint.red(paint.bold("Not verified."));
  const seconds = (report.durationMs / 1000).toFixed(1);
  line(`\n  ${word} ${good} of ${checks.length} hold, ${report.calls.length} calls, ${seconds} s.`);
  line(paint.dim("  What else it can do: npm run demo -- --help"));
  return report;
}

async function runParts(
  { model, signal, parts: show, web, screen }: DemoSettings,
  report: Report,
  copy: Stage["copy"],
): Promise<void> {
  const shown = new Set(show.length > 0 ? show : partNames);
  const wanted = new Set(shown);
  // A part follows its needs, so the reverse order finds indirect needs.
  for (const { name, needs = [] } of PARTS.toReversed())
    if (wanted.has(name)) for (const need of needs) wanted.add(need);
  const [original, neighbour, untouched] = await Promise.all([
    takeSnapshot(copy.project),
    takeSnapshot(copy.neighbour),
    takeSnapshot(fixture),
  ]);
  const closing: Stage["closing"] = [];
  const host = await createDemoHost({ copy, closing });
  try {
    const page = web ? await inspect(host) : undefined;
    if (page !== undefined) closing.unshift(() => page.close());
    if (page !== undefined) console.error(`The page, until Ctrl-C: ${page.url}`);
    const stage: Stage = { model, signal, report, copy, host, original, sessions: new Map(), closing };
    const verify: (Verify | undefined)[] = [];
    let number = 0;
    for (const part of PARTS.filter(({ name }) => wanted.has(name))) {
      signal.throwIfAborted();
      const isShown = shown.has(part.name);
      if (isShown) screen.heading(`${++number}  ${part.title}`);
      verify.push(await part.run(stage, isShown ? screen : darkScreen));
    }
    for (const each of verify) report.checks.push(...((await each?.()) ?? []));
    report.checks.push(await verifyOutside(copy, neighbour, untouched));
    if (page !== undefined) console.error("All is done, and can be looked at until Ctrl-C.");
    if (page !== undefined && !signal.aborted) await once(signal, "abort");
  } finally {
    for (const close of closing) await close();
  }
  report.checks.push(await verifyNothingRuns(copy, report));
}

/** The host and its sessions are closed. Without `/proc`, only the port is checked. */
async function verifyNothingRuns({ root }: Stage["copy"], { server }: Report) {
  const left = findProcesses(root);
  // A search that missed the running server proves nothing.
  const sees = server?.processes?.length !== 0;
  const refused = !server || (await isRefused(server.port));
  const running = left?.map(({ pid, command }) => `${pid} ${command}`) ?? "unknown";
  const ok = sees && (left ?? []).length === 0 && refused;
  return check("nothing is left running", ok, { running, refused, before: server?.processes?.length });
}

async function verifyOutside(
  copy: Stage["copy"],
  neighbour: Stage["original"],
  untouched: Stage["original"],
) {
  const [beside, project] = [await takeSnapshot(copy.neighbour), await takeSnapshot(fixture)];
  const changes = [...differences(neighbour, beside), ...differences(untouched, project)];
  const found = changes.join(", ") || `${beside.size + project.size} files and folders as before`;
  return check("nothing outside the copy changed", changes.length === 0, found);
}
