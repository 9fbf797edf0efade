import { dirname, join, normalize } from "node:path";

interface Block {
  info: string;
  /** The opening fence, from 1. */
  line: number;
  /** The closing fence. */
  end: number;
  text: string;
}

/** Returns one language's complete blocks, without other fences such as `ts fragment`. */
export function codeBlocks(markdown: string, language: string): Block[] {
  return fences(markdown).filter(({ info }) => info === language);
}

interface Files {
  read: (path: string) => string;
  exists: (path: string) => boolean;
}

/** Returns relative links without a file or heading; the path is relative to the root. */
export function brokenLinks(path: string, { read, exists }: Files): string[] {
  const problems: string[] = [];
  for (const [, target = ""] of prose(read(path)).matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
    const [file = "", anchor] = target.split("#");
    const linked = file === "" ? path : normalize(join(dirname(path), decodeURIComponent(file)));
    if (!exists(linked)) problems.push(`${path}: ${target} does not exist`);
    else if (anchor && linked.endsWith(".md") && !headings(read(linked)).has(anchor)) {
      problems.push(`${path}: ${target} names no heading`);
    }
  }
  return problems;
}

function headings(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title = ""] of withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = toSlug(title);
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** A repository browser's anchor for a unique heading. */
export function toSlug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

function prose(markdown: string): string {
  return withoutFences(markdown).replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "");
}

function withoutFences(markdown: string): string {
  const lines = markdown.split("\n");
  for (const { line, end } of fences(markdown)) lines.fill("", line - 1, end);
  return lines.join("\n");
}

/** Every fenced block in order; an open block ends with the document. */
export function fences(markdown: string): Block[] {
  const found: Block[] = [];
  const lines = markdown.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const open = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/.exec(lines[i] ?? "");
    if (open === null) continue;
    const [, fence = "", info = ""] = open;
    let end = i + 1;
    // The same characters, at least as many, close it alone on a line.
    const close = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}\\s*$`);
    while (end < lines.length && !close.test(lines[end] ?? "")) end++;
    const text = `${lines.slice(i + 1, end).join("\n")}\n`;
    found.push({ info: info.trim(), line: i + 1, end: end + 1, text });
    i = end;
  }
  return found;
}
