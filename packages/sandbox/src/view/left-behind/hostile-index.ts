/** Of a path in an index: git makes none of these, and writes the files of an index without asking again. */
const OUTWARD = /^\/|(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)/i;
const SIGNATURE = "DIRC";
const HEADER = 12;
/** Times, numbers and the name of the object; then two bytes of flags. */
const FIXED = 40;
const LONG_NAME = 0xfff;
const EXTENDED = 0x4000;

/**
 * Does an index of git name a file outside of its working tree, or in `.git` itself? `git checkout -- .` would write it.
 * `undefined` for what is no index that git reads.
 *
 * @param hash bytes of the name of an object: 20, or 32
 */
export function namesOutside(index: Buffer, hash: number): boolean | undefined {
  if (index.length < HEADER + hash || index.toString("latin1", 0, 4) !== SIGNATURE) return undefined;
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
  if (version < 2 || version > 4) return undefined;
  let before = "";
  let at = HEADER;
  for (let entry = 0; entry < count; entry++) {
    const start = at;
    at += FIXED + hash;
    if (at + 2 > index.length) return undefined;
    const flags = index.readUInt16BE(at);
    at += version >= 3 && (flags & EXTENDED) !== 0 ? 4 : 2;
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
    const name = before.slice(0, keep) + index.toString("latin1", at, end);
    // A folder that is not there has a slash at its end.
    if (OUTWARD.test(name.replace(/(?<=.)\/$/, "")) || name.includes("\0")) return true;
    if (version === 4) before = name;
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
  }
  return false;
}
