/** Limits lines and UTF-8 bytes. Returns whole lines if one fits. */
export function lastLines(
  text: string,
  mostLines: number,
  mostBytes: number,
): { text: string; omitted: number } {
  const all = text.trimEnd();
  let start = all.length;
  let bytes = 0;
  for (let lines = 0; lines < mostLines && start > 0; lines++) {
    const lineStart = all.lastIndexOf("\n", start - 2) + 1;
    bytes += Buffer.byteLength(all.slice(lineStart, start));
    if (bytes > mostBytes) break;
    start = lineStart;
  }
  if (start === all.length && all !== "") {
    const end = Buffer.from(all)
      .subarray(-mostBytes)
      .toString()
      .replace(/^\uFFFD{1,3}/, "");
    start = all.length - end.length;
  }
  return { text: all.slice(start), omitted: Buffer.byteLength(all.slice(0, start)) };
}
