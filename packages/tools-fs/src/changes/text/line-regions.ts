import { LF } from "../../lines/scanner.ts";
import type { Splice } from "./splice.ts";

export interface LineRegion {
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
}

export function lineRegions(before: Buffer, after: Buffer, splices: readonly Splice[]): LineRegion[] {
  const regions: LineRegion[] = [];
  let shift = 0;
  for (const splice of splices) {
    const newStart = splice.start + shift;
    const newEnd = newStart + splice.bytes.length;
    shift += splice.bytes.length - (splice.end - splice.start);
    const lead = splice.start - lineStart(before, splice.start);
    const rest =
      atLineStart(before, splice.end) && atLineStart(after, newEnd) ? 0 : lineRest(before, splice.end);
    const region = {
      oldStart: splice.start - lead,
      oldEnd: splice.end + rest,
      newStart: newStart - lead,
      newEnd: newEnd + rest,
    };
    const previous = regions.at(-1);
    if (previous !== undefined && region.oldStart <= previous.oldEnd) {
      previous.newEnd = region.newEnd + Math.max(0, previous.oldEnd - region.oldEnd);
      previous.oldEnd = Math.max(previous.oldEnd, region.oldEnd);
    } else regions.push(region);
  }
  return regions.map((region) => trimEqualLines(before, after, region)).filter(isNotEmpty);
}

const isNotEmpty = (region: LineRegion): boolean =>
  region.oldEnd > region.oldStart || region.newEnd > region.newStart;

function trimEqualLines(before: Buffer, after: Buffer, region: LineRegion): LineRegion {
  let { oldStart, oldEnd, newStart, newEnd } = region;
  while (oldStart < oldEnd && newStart < newEnd) {
    const size = nextLine(before, oldStart, oldEnd) - oldStart;
    if (nextLine(after, newStart, newEnd) - newStart !== size) break;
    if (before.compare(after, newStart, newStart + size, oldStart, oldStart + size) !== 0) break;
    oldStart += size;
    newStart += size;
  }
  while (oldStart < oldEnd && newStart < newEnd) {
    const size = oldEnd - lastLine(before, oldStart, oldEnd);
    if (newEnd - lastLine(after, newStart, newEnd) !== size) break;
    if (before.compare(after, newEnd - size, newEnd, oldEnd - size, oldEnd) !== 0) break;
    oldEnd -= size;
    newEnd -= size;
  }
  return { oldStart, oldEnd, newStart, newEnd };
}

const atLineStart = (bytes: Buffer, at: number): boolean => at === 0 || bytes[at - 1] === LF;

function lineStart(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(LF, at - 1) + 1;
}

function lineRest(bytes: Buffer, at: number): number {
  return nextLine(bytes, at, bytes.length) - at;
}

export function nextLine(bytes: Buffer, at: number, limit: number): number {
  const end = bytes.indexOf(LF, at);
  return end < 0 || end >= limit ? limit : end + 1;
}

function lastLine(bytes: Buffer, from: number, to: number): number {
  return to - 2 < from ? from : Math.max(from, bytes.lastIndexOf(LF, to - 2) + 1);
}
