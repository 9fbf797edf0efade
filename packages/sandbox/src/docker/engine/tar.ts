/** An entry of a tar archive: a file, or a link, or with neither a folder. */
export interface TarEntry {
  /** Relative, without a leading slash; at most 100 bytes. */
  path: string;
  mode?: number;
  content?: string | Uint8Array;
  link?: string;
}

const BLOCK = 512;

/** A tar archive in memory, its files root's. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? "");
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [headerOf(entry, content.length), content, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function headerOf({ path, mode, content, link }: TarEntry, size: number): Buffer {
  const isFolder = content === undefined && link === undefined;
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number): void =>
    void header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  header.write(isFolder ? `${path}/` : path, 0, 100);
  octal(mode ?? (isFolder ? 0o755 : 0o644), 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.fill(" ", 148, 156);
  header.write(isFolder ? "5" : link === undefined ? "0" : "2", 156);
  if (link !== undefined) header.write(link, 157, 100);
  header.write("ustar\x0000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}
