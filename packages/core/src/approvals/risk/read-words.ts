const MOST = 20_000;

/** Finds possible commands without parsing the shell, only for risk marks. */
export function wordLists(text: string): string[][] {
  return text
    .slice(0, MOST)
    .split(/[;&|\n`]+|\$\(|<\(|>\(|[(){}]/)
    .map((part) =>
      part
        .split(/\s+/)
        .map((word) => word.replaceAll(/["']/g, "").replace(/\\(.)/g, "$1"))
        .filter(Boolean),
    )
    .map(withoutAssignments)
    .filter((words) => words.length > 0);
}

export function redirectTargets(text: string): string[] {
  const found = text
    .slice(0, MOST)
    .matchAll(/(?:^|[^<>=-])(?:\d|&)?>{1,2}\|?\s*(?!&)(["']?)([^\s;&|<>()"']+)\1/g);
  return [...found].map(([, , target = ""]) => target);
}

/** Finds files that a redirect empties: `: > file`. */
export function listTruncatedFiles(text: string): string[] {
  const found = text
    .slice(0, MOST)
    .matchAll(
      /(?:^|[;&|\n({])[ \t]*(?:(?::|true|cat[ \t]+\/dev\/null)[ \t]*)?>\|?[ \t]*(["']?)([^\s;&|<>()"']+)\1/g,
    );
  return [...found].map(([, , target = ""]) => target).filter((target) => !target.startsWith("/dev/"));
}

/** Finds output that runs in a shell: `curl … | sh`. */
export function pipesIntoShell(text: string): boolean {
  return /\|&?\s*(?:(?:sudo|doas|env|exec|command|nohup)\s+(?:-\S+\s+|\w+=\S*\s+)*)*(?:\S*\/)?(?:ba|z|da|k|mk|a|fi|c|tc)?sh(?:\s+-\S*)*\s*(?:$|[;&|\n)])/m.test(
    text.slice(0, MOST),
  );
}

function withoutAssignments(words: string[]): string[] {
  const first = words.findIndex((word) => !/^\w+=/.test(word) && !KEYWORDS.has(word));
  return first < 0 ? [] : words.slice(first);
}

const KEYWORDS: ReadonlySet<string> = new Set([
  "if",
  "then",
  "else",
  "elif",
  "do",
  "while",
  "until",
  "!",
  "time",
]);

export function readOptionWords(words: readonly string[]): {
  has: (...names: string[]) => boolean;
  rest: string[];
} {
  const options: string[] = [];
  const rest: string[] = [];
  let isOver = false;
  for (const word of words.slice(1)) {
    if (isOver || !/^-./.test(word)) rest.push(word);
    else if (word === "--") isOver = true;
    else options.push(word);
  }
  const has = (...names: string[]) =>
    names.some((name) =>
      name.length === 1
        ? options.some((option) => /^-[^-]/.test(option) && option.slice(1).includes(name))
        : options.some(
            (option) =>
              option === `--${name}` ||
              option.startsWith(`--${name}=`) ||
              // Programs accept prefixes of long options.
              (option.length > 4 && option.startsWith("--") && `--${name}`.startsWith(option)) ||
              option === `-${name}`,
          ),
    );
  return { has, rest };
}
