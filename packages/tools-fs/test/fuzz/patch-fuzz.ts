import { fc } from "@fast-check/vitest";
import { HaftError } from "@haft/core";
import { applyPatch as applyUnifiedDiff } from "diff";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { applyPatchWith } from "../../src/apply-patch/apply-patch-text.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import type { ChangeReport } from "../../src/changes/plan/change-report.ts";
import type { EditRequest } from "../../src/edit/edit-request.ts";
import { planEdits } from "../../src/edit/plan-edits.ts";
import { readContents, createMemoryFileSystem } from "../support/memory-file-system.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { watchFileSystem } from "../support/watched-file-system.ts";
import type { FileScenario } from "./scenarios.ts";
import {
  editScenario,
  expectedLines,
  fileScenario,
  getOldText,
  render,
  renderHunks,
  shreds,
} from "./scenarios.ts";

/** What happened how often. */
export type FuzzCounts = Record<string, number>;

/**
 * Random patches and edits, a third each written from a known change, put together from shreds of
 * patches, and as edits. Every one must give exactly the known result or change nothing; reported
 * diffs must lead from old to new, and undo must restore every byte.
 *
 * @throws With the smallest case that fails, and the seed that finds it again.
 */
export async function fuzz(count: number, seed: number): Promise<FuzzCounts> {
  const counts: FuzzCounts = {};
  const tally = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const parameters = (runs: number) => ({ seed, numRuns: runs, endOnFailure: false });
  const third = Math.ceil(count / 3);
  const files = fc.array(fileScenario, { minLength: 1, maxLength: 4 });
  const failAt = fc.option(fc.integer({ min: 1, max: 30 }), { freq: 4 });
  await fc.assert(
    fc.asyncProperty(files, failAt, async (scenarios, fault) => tally(await knownPatch(scenarios, fault))),
    parameters(third),
  );
  await fc.assert(
    fc.asyncProperty(files, shreds, async (scenarios, patch) => tally(await anyPatch(scenarios, patch))),
    parameters(third),
  );
  const edits = fc.array(editScenario, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fileScenario, edits, async ({ source }, chosen) => {
      const requests = chosen.map((edit): EditRequest => ({
        oldText: getOldText(edit, source),
        newText: edit.newText.join(""),
        replaceAll: edit.replaceAll,
        expectedCount: undefined,
      }));
      tally(await anyEdits(render(source), requests));
    }),
    parameters(count - 2 * third),
  );
  return counts;
}

/** A patch written from a known change: applied as known, or refused without a trace. */
async function knownPatch(scenarios: readonly FileScenario[], fault: number | null): Promise<string> {
  const before: Record<string, Buffer> = {};
  const patch = ["*** Begin Patch"];
  for (const [index, scenario] of scenarios.entries()) {
    if (scenario.fate !== "add") before[`f${index}`] = render(scenario.source);
    patch.push(...renderSection(scenario, index));
  }
  patch.push("*** End Patch");
  if (patch.length === 2) return "patch: nothing to do";
  const outcome = await applied(before, patch.join("\n"), fault);
  if (outcome.after === undefined) return `patch: refused (${outcome.code})`;
  for (const [index, scenario] of scenarios.entries()) expectScenario(outcome.after, scenario, index);
  return outcome.changed ? "patch: applied as known" : "patch: nothing changed";
}

function renderSection(scenario: FileScenario, index: number): string[] {
  const hunks = renderHunks(scenario);
  const name = `f${index}`;
  switch (scenario.fate) {
    case "none":
      return [];
    case "delete":
      return [`*** Delete File: ${name}`];
    case "move":
      return [`*** Move File: ${name} -> moved/${name}`];
    case "add":
      return [`*** Add File: ${name}`, ...scenario.source.lines.map(([text]) => `+${text}`)];
    case "update":
      return hunks.length === 0 ? [] : [`*** Update File: ${name}`, ...hunks];
    case "move-and-update":
      return hunks.length === 0 ? [] : [`*** Update File: ${name}`, `*** Move to: moved/${name}`, ...hunks];
  }
}

function expectScenario(after: ReadonlyMap<string, Buffer>, scenario: FileScenario, index: number): void {
  const { source, fate } = scenario;
  const name = `f${index}`;
  const moved = `moved/f${index}`;
  const changes = renderHunks(scenario).length > 0;
  if (fate === "delete") return strictEqual(after.has(name), false);
  if (fate === "move") return deepStrictEqual(after.get(moved), render(source));
  if (fate === "add") {
    return strictEqual(after.get(name)?.toString(), source.lines.map(([text]) => `${text}\n`).join(""));
  }
  if (fate === "none" || !changes) return deepStrictEqual(after.get(name), render(source));
  const found = after.get(fate === "update" ? name : moved);
  ok(found !== undefined);
  expectLines(found.toString(), scenario);
}

function expectLines(text: string, scenario: FileScenario): void {
  const { bom, open } = scenario.source;
  strictEqual(text.startsWith("\ufeff"), bom);
  const body = bom ? text.slice(1) : text;
  const expected = expectedLines(scenario);
  const found = [...body.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)]
    .filter(([whole]) => whole !== "")
    .map(([, own = "", end = ""]) => ({ text: own, ending: end }));
  // An open end after an empty line cannot be seen: there is nothing of that line.
  if (open && expected.at(-1)?.text === "") expected.pop();
  else if (expected.length > 0) strictEqual(found.at(-1)?.ending === "", open);
  deepStrictEqual(
    found.map((line) => line.text),
    expected.map((line) => line.text),
  );
  for (const [at, line] of expected.entries()) {
    const wasLast = open && at >= expected.length - 1;
    const ending = found[at]?.ending;
    if (line.ending !== undefined && !wasLast && ending !== "") strictEqual(ending, line.ending);
  }
}

/** Shreds of patches: whatever comes of them, it is all or nothing. */
async function anyPatch(scenarios: readonly FileScenario[], patch: string): Promise<string> {
  const before: Record<string, Buffer> = {};
  for (const [index, { source }] of scenarios.entries()) before[`f${index}`] = render(source);
  const outcome = await applied(before, patch, null);
  if (outcome.after === undefined) return `shreds: refused (${outcome.code})`;
  return outcome.changed ? "shreds: applied" : "shreds: nothing changed";
}

interface Outcome {
  after: ReadonlyMap<string, Buffer> | undefined;
  changed: boolean;
  code: string;
}

/** Applies a patch and checks what must hold of any: no trace of a refusal, true diffs, undo. */
async function applied(
  before: Record<string, Buffer>,
  patch: string,
  fault: number | null,
): Promise<Outcome> {
  const memory = createMemoryFileSystem(before);
  const original = await readContents(memory);
  const journal = createMemoryJournal();
  const broken = watchFileSystem(memory, {
    before: ({ number, changes }) => {
      if (number === fault && changes) throw new HaftError("DISK_FULL", "Full.", { category: "operational" });
    },
  });
  const engine = createChangeEngine({ fs: fault === null ? memory : broken, root: "/workspace", journal });
  let report: ChangeReport;
  try {
    ({ report } = await applyPatchWith(engine, patch));
  } catch (error) {
    if (!HaftError.is(error)) throw error;
    strictEqual(error.receipt, "none");
    deepStrictEqual(await readContents(memory), original);
    strictEqual(journal.size, 0);
    return { after: undefined, changed: false, code: error.code };
  }
  const after = await readContents(memory);
  strictEqual(report.changed, report.transactionId !== undefined);
  expectDiffs(report, original, after);
  if (report.transactionId !== undefined) {
    await createChangeEngine({ fs: memory, root: "/workspace", journal }).undo(report.transactionId);
    deepStrictEqual(await readContents(memory), original);
  }
  return { after, changed: report.changed, code: "" };
}

function expectDiffs(
  report: ChangeReport,
  before: ReadonlyMap<string, Buffer>,
  after: ReadonlyMap<string, Buffer>,
): void {
  const named = new Set<string>();
  for (const { path, from, kind, diff } of report.files) {
    named.add(path).add(from ?? path);
    const old = before.get(from ?? path)?.toString() ?? "";
    const fresh = after.get(path)?.toString() ?? "";
    if (diff === undefined) strictEqual(old, fresh);
    else strictEqual(applyUnifiedDiff(old, diff, { autoConvertLineEndings: false }), fresh);
    ok(kind !== "unchanged" || old === fresh);
  }
  for (const [path, bytes] of before) if (!named.has(path)) deepStrictEqual(after.get(path), bytes);
}

/** Edits: the same in any order, nothing but the named places changed, and undone byte for byte. */
async function anyEdits(content: Buffer, edits: readonly EditRequest[]): Promise<string> {
  const memory = createMemoryFileSystem({ f: content });
  const journal = createMemoryJournal();
  const engine = createChangeEngine({ fs: memory, root: "/workspace", journal });
  const run = async (requests: readonly EditRequest[], dryRun: boolean): Promise<ChangeReport> => {
    const { report } = await engine.change({
      paths: [{ path: "f" }],
      plan: async (tree) => {
        const file = await tree.existing("f");
        tree.update(file, planEdits("f", file.now.bytes, requests).splices);
      },
      dryRun,
      refineDiff: true,
    });
    return report;
  };
  let backwards: ChangeReport | undefined;
  try {
    backwards = await run(edits.toReversed(), true);
  } catch (error) {
    if (!HaftError.is(error)) throw error;
  }
  try {
    const original = await readContents(memory);
    const report = await run(edits, false);
    strictEqual(report.files[0]?.after, backwards?.files[0]?.after);
    expectDiffs(report, original, await readContents(memory));
    if (report.transactionId === undefined) return "edits: nothing changed";
    await engine.undo(report.transactionId);
    deepStrictEqual(await readContents(memory), original);
    return "edits: applied";
  } catch (error) {
    if (!HaftError.is(error)) throw error;
    strictEqual(backwards, undefined);
    deepStrictEqual((await readContents(memory)).get("f"), content);
    return `edits: refused (${error.code})`;
  }
}
