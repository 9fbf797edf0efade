import { dirname, join, normalize } from "node:path";

/**
 * Fenced blocks of one language. A block marked with more than the language (```` ```ts fragment ````)
 * is not meant to stand alone and is left out.
 * @param {string} markdown
 * @param {string} language
 * @returns {{ line: number, text: string }[]} `line`: of the opening fence, counted from 1.
 */
export function codeBlocks(markdown, language) {
  return fences(markdown).filter(({ info }) => info === language);
}

/**
 * Relative links of a document that lead to no file or to no heading.
 * @param {string} path Of the document, relative to the root.
 * @param {{ read(path: string): string, exists(path: string): boolean }} files
 */
export function brokenLinks(path, { read, exists }) {
  const problems = [];
  for (const [, target] of prose(read(path)).matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
    const [file, anchor] = target.split("#");
    const linked = file === "" ? path : normalize(join(dirname(path), decodeURIComponent(file)));
    if (!exists(linked)) problems.push(`${path}: ${target} does not exist`);
    else if (anchor && linked.endsWith(".md") && !headings(read(linked)).has(anchor)) {
      problems.push(`${path}: ${target} names no heading`);
    }
  }
  return problems;
}

/** The anchors a reader can link to. */
function headings(markdown) {
  const anchors = new Set();
  for (const [, title] of withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

function prose(markdown) {
  return withoutFences(markdown).replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "");
}

function withoutFences(markdown) {
  const lines = markdown.split("\n");
  for (const { line, end } of fences(markdown)) lines.fill("", line - 1, end);
  return lines.join("\n");
}

/** Every fenced block, in order; an unclosed one ends with the document. */
function fences(markdown) {
  const found = [];
  const lines = markdown.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const open = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/.exec(lines[i]);
    if (open === null) continue;
    const [, fence, info] = open;
    let end = i + 1;
    const isClose = (text) =>
      text.trim().length >= fence.length && text.trim() === fence[0].repeat(text.trim().length);
    while (end < lines.length && !isClose(lines[end])) end++;
    yield {
      fence,
      info: info.trim(),
      line: i + 1,
      end: end + 1,
      text: `${lines.slice(i + 1, end).join("\n")}\n`,
    };
    i = end;
  }
  return found;
}
