import { createHash } from "node:crypto";

/** An index of version 2 with one more file, of any name: git itself writes none that leads outside. */
export function withEntry(index: Buffer, path: string, object: string): Buffer {
  const count = index.readUInt32BE(8);
  const entries: { name: string; bytes: Buffer }[] = [];
  let at = 12;
  for (let entry = 0; entry < count; entry++) {
    const end = index.indexOf(0, at + 62);
    const next = at + ((end - at + 8) & ~7);
    entries.push({ name: index.toString("latin1", at + 62, end), bytes: index.subarray(at, next) });
    at = next;
  }
  const bytes = Buffer.alloc((62 + path.length + 8) & ~7);
  bytes.writeUInt32BE(0o100755, 24);
  bytes.write(object, 40, "hex");
  bytes.writeUInt16BE(Math.min(path.length, 0xfff), 60);
  bytes.write(path, 62, "latin1");
  entries.push({ name: path, bytes });
  const header = Buffer.from(index.subarray(0, 12));
  header.writeUInt32BE(entries.length, 8);
  const sorted = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const whole = Buffer.concat([header, ...sorted.map((one) => one.bytes)]);
  return Buffer.concat([whole, createHash("sha1").update(whole).digest()]);
}
