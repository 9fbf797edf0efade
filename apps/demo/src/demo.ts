import { inspect } from "haft";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createDemoHost } from "./demo-host.ts";
import { processesIn } from "./look/processes-in.ts";
import { isRefused } from "./look/servers.ts";
import { describeDifference, differences, takeSnapshot } from "./look/snapshot.ts";
import { chatPart } from "./parts/chat.ts";
import { containedPart } from "./parts/contained.ts";
import { deniedPart } from "./parts/denied.ts";
import { formatsPart } from "./parts/formats.ts";
import { ledgerPart } from "./parts/ledger.ts";
import { nodePart } from "./parts/node.ts";
import { repairPart } from "./parts/repair.ts";
import { sandboxPart } from "./parts/sandbox.ts";
import { toolsPart } from "./parts/tools.ts";
import { copyProject, fixture, type ProjectCopy } from "./project-copy.ts";
import { darkScreen, type Screen } from "./screen/screen.ts";
import { showSummary } from "./screen/show.ts";
import {
  type Check,
  type DemoModel,
  type Part,
  type PartName,
  partNames,
  type Report,
  type Stage,
} from "./stage.ts";

const parts: readonly Part[] = [
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

export interface DemoSettings {
  model: DemoModel;
  screen: Screen;
  /** Parts to show; all when empty. */
  show: readonly PartName[];
  keep: boolean;
  /** A page that shows the calls as they go, until the signal aborts. */
  web?: boolean;
  signal: AbortSignal;
  /** The folder of the copy; by default that of temporary files. */
  temporary?: string;
}

/** Runs the parts on a fresh copy, looks at the disk, cleans up, and says what was found. */
export async function runDemo(settings: DemoSettings): Promise<Report> {
  const { model, screen, show, keep, web = false, signal, temporary } = settings;
  const startedAt = performance.now();
  const { kind, name } = model;
  const report: Report = { ok: false, durationMs: 0, model: { kind, name }, calls: [], checks: [] };
  screen.line(screen.paint.bold("Haft: an agent, its tools, and what they did"));
  screen.line(screen.paint.dim(`model: ${name}`));
  const copy = await copyProject(temporary);
  screen.line(screen.paint.dim(keep ? `copy:  ${copy.project}` : "copy:  temporary, of apps/demo/project"));
  try {
    await runParts({ report, copy, model, signal }, { show, web }, screen);
  } finally {
    if (!keep) await copy.remove();
  }
  report.checks.push(verifyCleanedUp(copy, keep));
  if (keep) report.copy = copy.project;
  report.ok = report.checks.every(({ ok }) => ok);
  report.durationMs = Math.round(performance.now() - startedAt);
  showSummary(screen, report);
  return report;
}

type Frame = Pick<Stage, "report" | "copy" | "model" | "signal">;

async function runParts(
  frame: Frame,
  { show, web }: Required<Pick<DemoSettings, "show" | "web">>,
  screen: Screen,
): Promise<void> {
  const { copy, report, signal } = frame;
  const shown = new Set(show.length > 0 ? show : partNames);
  const wanted = withNeeds(shown);
  const [original, neighbour, untouched] = await Promise.all(
    [copy.project, copy.neighbour, fixture].map(takeSnapshot),
  );
  const host = await createDemoHost(copy);
  const page = web ? await inspect(host) : undefined;
  try {
    if (page !== undefined) console.error(`The page, until Ctrl-C: ${page.url}`);
    const stage: Stage = { ...frame, host, original: original!, sessions: new Map() };
    const running = parts.filter((part) => wanted.has(part.name));
    let number = 0;
    for (const part of running) {
      signal.throwIfAborted();
      const isShown = shown.has(part.name);
      if (isShown) screen.heading(`${++number}  ${part.title}`);
      await part.run(stage, isShown ? screen : darkScreen);
    }
    for (const part of running) report.checks.push(...((await part.verify?.(stage)) ?? []));
    report.checks.push(await verifyOutside(copy, neighbour!, untouched!));
    if (page !== undefined) {
      console.error("All is done, and can be looked at until Ctrl-C.");
      if (!signal.aborted) await once(signal, "abort");
    }
  } finally {
    await page?.close();
    await host.close();
  }
  report.checks.push(await verifyNothingRuns(copy, report));
}

function withNeeds(names: ReadonlySet<PartName>): ReadonlySet<PartName> {
  const all = new Set(names);
  // A part comes after those it needs, so going backwards finds the needs of needs, too.
  for (const part of parts.toReversed()) if (all.has(part.name)) for (const need of part.needs) all.add(need);
  return all;
}

/** The host is closed, and its sessions with it. Where there is no `/proc`, the port alone tells. */
async function verifyNothingRuns({ root }: ProjectCopy, { server }: Report): Promise<Check> {
  const left = processesIn(root);
  // A search that found nothing even while the server ran would prove nothing now.
  const sees = server?.processes?.length !== 0;
  const ok = sees && (left ?? []).length === 0 && (!server || (await isRefused(server.port)));
  const before = server?.processes ? `, ${server.processes.length} while the server ran` : "";
  return {
    what: "nothing is left running",
    ok,
    found:
      left?.map(({ pid, command }) => `${pid} ${command}`).join(", ") ||
      (left ? `0 processes of the copy${before}` : `the port ${ok ? "refuses" : "accepts"} connections`),
  };
}

async function verifyOutside(
  copy: ProjectCopy,
  ...before: Parameters<typeof differences>[0][]
): Promise<Check> {
  const after = await Promise.all([copy.neighbour, fixture].map(takeSnapshot));
  const changes = before.flatMap((snapshot, i) => differences(snapshot, after[i]!));
  const count = after.reduce((sum, { size }) => sum + size, 0);
  return {
    what: "nothing outside the copy changed",
    ok: changes.length === 0,
    found: changes.map(describeDifference).join(", ") || `${count} files and folders as before`,
  };
}

function verifyCleanedUp({ root, project }: ProjectCopy, keep: boolean): Check {
  if (keep) return { what: "the copy is kept", ok: existsSync(project), found: project };
  const there = existsSync(root);
  return {
    what: "the temporary copy is gone",
    ok: !there,
    found: there ? `${root} is still there` : "its folder was removed",
  };
}
