export interface IndexEntry {
  /** One character per byte (latin1). */
  name: string;
  mode: number;
  /** 0; 1 to 3 during a merge conflict. */
  stage: number;
  assumeUnchanged: boolean;
  skipWorktree: boolean;
  /** `git add --intent-to-add`: no content yet. */
  intentToAdd: boolean;
  flagsAt: number;
  /** With a second pair of flag bytes. */
  isExtended: boolean;
  nameAt: number;
  end: number;
  start: number;
  next: number;
}

export interface GitIndex {
  version: number;
  entries: readonly IndexEntry[];
  end: number;
}

/** Git never adds these paths, but would write them. */
const OUTWARD = /^\/|(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)/i;
const SIGNATURE = "DIRC";
export const HEADER = 12;
const MODE_AT = 24;
/** After times and numbers; two bytes of flags follow the object's name. */
const OBJECT_AT = 40;
const LONG_NAME = 0xfff;
const ASSUME_UNCHANGED = 0x8000;
export const EXTENDED = 0x4000;
const STAGE_SHIFT = 12;
/** In the second pair of flag bytes. */
export const SKIP_WORKTREE = 0x4000;
const INTENT_TO_ADD = 0x2000;

/** Supports versions 2 to 4; `undefined` if git could not read it either. `hash`: 20 or 32 bytes. */
export function readIndex(
  index: Buffer,
  hash: number,
  stopAt?: (entry: IndexEntry) => boolean,
): GitIndex | undefined {
  if (index.length < HEADER + hash || index.toString("latin1", 0, 4) !== SIGNATURE) return undefined;
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
  if (version < 2 || version > 4) return undefined;
  const entries: IndexEntry[] = [];
  let before = "";
  let at = HEADER;
  for (let number = 0; number < count; number++) {
    const entry = readEntry(index, { at, version, hash, before });
    if (entry === undefined) return undefined;
    entries.push(entry);
    if (stopAt?.(entry) === true) break;
    if (version === 4) before = entry.name;
    at = entry.next;
  }
  return { version, entries, end: at };
}

/** True if `git checkout -- .` would write outside the working tree or in `.git`. */
export function hasOutsidePath(index: Buffer, hash: number): boolean | undefined {
  const isOutside = ({ name }: IndexEntry): boolean =>
    // Directories end with a slash.
    OUTWARD.test(name.replace(/(?<=.)\/$/, "")) || name.includes("\0");
  let found = false;
  const read = readIndex(index, hash, (entry) => (found ||= isOutside(entry)));
  return found || (read === undefined ? undefined : false);
}

export function readObjectId(index: Buffer, { start, flagsAt }: IndexEntry): string {
  return index.toString("hex", start + OBJECT_AT, flagsAt);
}

interface EntryPosition {
  at: number;
  version: number;
  hash: number;
  before: string;
}

function readEntry(
  index: Buffer,
  { at: start, version, hash, before }: EntryPosition,
): IndexEntry | undefined {
  const flagsAt = start + OBJECT_AT + hash;
  if (flagsAt + 2 > index.length) return undefined;
  const flags = index.readUInt16BE(flagsAt);
  const isExtended = version >= 3 && (flags & EXTENDED) !== 0;
  const nameAt = flagsAt + (isExtended ? 4 : 2);
  if (nameAt > index.length) return undefined;
  let at = nameAt;
  let keep = 0;
  if (version === 4) {
    let byte = index[at++];
    let strip = byte! & 127;
    while (byte !== undefined && (byte & 128) !== 0) {
      byte = index[at++];
      strip = (strip + 1) * 128 + (byte! & 127);
    }
    keep = before.length - strip;
    if (!(keep >= 0)) return undefined;
  }
  const length = flags & LONG_NAME;
  const isKnown = version < 4 && length < LONG_NAME;
  const end = isKnown ? at + length : index.indexOf(0, at);
  if (end < at || end > index.length) return undefined;
  const extended = isExtended ? index.readUInt16BE(flagsAt + 2) : 0;
  return {
    name: before.slice(0, keep) + index.toString("latin1", at, end),
    mode: index.readUInt32BE(start + MODE_AT),
    stage: (flags >> STAGE_SHIFT) & 3,
    assumeUnchanged: (flags & ASSUME_UNCHANGED) !== 0,
    skipWorktree: (extended & SKIP_WORKTREE) !== 0,
    intentToAdd: (extended & INTENT_TO_ADD) !== 0,
    flagsAt,
    isExtended,
    nameAt,
    end,
    start,
    next: version === 4 ? end + 1 : start + ((end - start + 8) & ~7),
  };
}
