/** Headers of a patch that name a file, in all spellings: what follows names one or two. */
const HEADER = /^\s*\*{3}\s+(?:\w+\s+)?(?:File|Move to|to)\s*:\s*(.+?)\s*$/i;
const BEGIN = /^\s*\*{3}\s+Begin Patch/m;
/** Files of unified diffs, which some agents take as well. */
const DIFF = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]+)/;

/** Whether a text has a patch in it, as `apply_patch` reads one. */
export function hasPatch(text: string): boolean {
  return BEGIN.test(text);
}

/** Every file that the patches in a text name, as they name it, each once. Empty where none can be found. */
export function patchPaths(text: string): string[] {
  const found = new Set<string>();
  let inside = false;
  for (const line of text.split(/\r?\n/)) {
    if (BEGIN.test(line)) inside = true;
    else if (/^\s*\*{3}\s+End Patch/.test(line)) inside = false;
    const header = HEADER.exec(line)?.[1];
    if (header !== undefined) for (const path of header.split(/\s+->\s+/)) found.add(path);
    const diff = inside ? undefined : DIFF.exec(line)?.[1];
    if (diff !== undefined && diff !== "/dev/null" && line.length < 4096) found.add(diff.trim());
  }
  return [...found];
}
