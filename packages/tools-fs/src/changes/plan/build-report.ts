import { withoutUndefined } from "@haft/utils";
import { isMostlyText } from "../../content/encoding.ts";
import { EventLoopYielder } from "../../scheduling/event-loop-yielder.ts";
import { refineRegion } from "../text/content-diff.ts";
import { contentHash } from "../text/content-hash.ts";
import { type LineRegion, lineRegions } from "../text/line-regions.ts";
import type { Splice } from "../text/splice.ts";
import { unifiedDiff, type UnifiedDiff } from "../text/unified-diff.ts";
import type { ChangeRequest } from "./change-contract.ts";
import type { ChangeReport, FileChange } from "./change-report.ts";
import type { NetChange } from "./operations.ts";

const MAX_DIFF = 256 * 1024;
const MAX_DIFFS = 1024 * 1024;
const MAX_REFINED = 64;
const EMPTY = Buffer.alloc(0);

/** Describes the net effect of a plan. {@link addHashes} adds the hashes later, because large files are still being hashed. */
export async function buildReport(
  changes: readonly NetChange[],
  { dryRun = false, refineDiff = false }: Pick<ChangeRequest<unknown>, "dryRun" | "refineDiff">,
): Promise<ChangeReport> {
  const files: FileChange[] = [];
  let room = MAX_DIFFS;
  const turns = new EventLoopYielder();
  for (const change of changes) {
    await turns.pause();
    const file = await describe(change, Math.min(MAX_DIFF, room), refineDiff);
    room -= file.diff?.length ?? 0;
    files.push(file);
  }
  const changed = files.some((file) => file.kind !== "unchanged");
  return { dryRun, changed, files };
}

/** The hash of the old content is computed on demand. @param others files with another owner or access list */
export function addHashes(
  report: ChangeReport,
  changes: readonly NetChange[],
  others?: ReadonlySet<string>,
): ChangeReport {
  const files = report.files.map((file, index): FileChange => {
    const change = changes[index] as NetChange;
    const { before, after } = change;
    return {
      ...file,
      get before() {
        return before === undefined || isUnread(change) ? null : contentHash(before);
      },
      after: after === undefined || isUnread(change) ? null : contentHash(after),
      ...(others?.has(change.file.target.at) === true && { accessLost: true as const }),
    };
  });
  return { ...report, files };
}

function isUnread({ file, from, kind }: NetChange): boolean {
  const { before } = from ?? file;
  return (kind === "deleted" || kind === "moved") && before?.unreadable !== undefined && !before.link;
}

async function describe(change: NetChange, maxDiff: number, refine: boolean): Promise<FileChange> {
  const { file, kind, from, before, after } = change;
  const base = withoutUndefined<FileChange>({
    path: file.target.path,
    kind,
    from: from?.target.path,
    before: null,
    after: null,
    bytesBefore: before?.length ?? 0,
    bytesAfter: after?.length ?? 0,
    added: 0,
    removed: 0,
    hunks: file.hunks,
    ...encodingOf(change),
  });
  if (isUnread(change)) {
    const size = (from ?? file).before?.stat.size ?? 0;
    if (kind === "moved") return { ...base, bytesBefore: size, bytesAfter: size };
    return { ...base, bytesBefore: size, diffOmitted: "too large", irreversible: true };
  }
  if (kind === "unchanged" || (kind === "moved" && change.splices.length === 0)) return base;
  const diff = await diffOf(change, maxDiff, refine);
  if (typeof diff === "string") return { ...base, diffOmitted: diff };
  const { text, added, removed, firstChangedLine } = diff;
  return { ...base, added, removed, firstChangedLine, diff: text };
}

function encodingOf({ file, from, text }: NetChange): Pick<FileChange, "encoding" | "encodingGuessed"> {
  const decoded = (from ?? file).before?.decoded;
  if (text === undefined || decoded === undefined) return {};
  const { encoding, guessed } = decoded;
  return guessed ? { encoding, encodingGuessed: true } : { encoding };
}

async function diffOf(
  change: NetChange,
  maxDiff: number,
  refine: boolean,
): Promise<UnifiedDiff | "binary" | "too large"> {
  const before = change.text?.before ?? change.before ?? EMPTY;
  const after = change.text?.after ?? change.after ?? EMPTY;
  const splices = change.text?.splices ?? splicesOf(change, before, after);
  if (sizeOf(splices) > maxDiff) return "too large";
  // Changes by range are always text.
  const isByRange = change.splices.length > 0 && change.file.now?.origin !== undefined;
  if (!isByRange && !(isMostlyText(before) && isMostlyText(after))) return "binary";
  const path = change.file.target.path;
  const labels = {
    before: change.before === undefined ? "/dev/null" : `a/${change.from?.target.path ?? path}`,
    after: change.after === undefined ? "/dev/null" : `b/${path}`,
  };
  const regions = lineRegions(before, after, splices);
  const shown = refine && regions.length <= MAX_REFINED ? await refineAll(before, after, regions) : regions;
  return unifiedDiff(labels, before, after, shown, maxDiff) ?? "too large";
}

function splicesOf(change: NetChange, before: Buffer, after: Buffer): readonly Splice[] {
  if (change.before === undefined || change.after === undefined) {
    return [{ start: 0, end: before.length, bytes: after }];
  }
  return change.splices;
}

function sizeOf(splices: readonly Splice[]): number {
  return splices.reduce((sum, { start, end, bytes }) => sum + end - start + bytes.length, 0);
}

async function refineAll(
  before: Buffer,
  after: Buffer,
  regions: readonly LineRegion[],
): Promise<LineRegion[]> {
  const refined: LineRegion[] = [];
  const turns = new EventLoopYielder();
  for (const region of regions) {
    refined.push(...(await refineRegion(before, after, region)));
    await turns.pause();
  }
  return refined;
}
