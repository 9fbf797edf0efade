import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Item } from "../items/make-item.ts";
import { findCodex } from "./find-codex.ts";

export type Question = Pick<Item, "files" | "patch">;

/** What came of a patch. */
export interface Answer {
  /** Contents by path, unless the patch was refused. */
  tree?: Readonly<Record<string, string>>;
  /** What was said. */
  said: string;
}

const run = promisify(execFile);

// A shell starts one program after the other with less work than Node does.
const SCRIPT = `
for tree in "$2"/*.tree; do
  name="\${tree%.tree}"
  cd "$tree" || exit 1
  "$1" < "$name.patch" > "$name.said" 2>&1
  echo $? > "$name.code"
done`;

/** Applies each patch to its files by the real program, without a network and where nothing but the trees can be written. */
export async function askCodex(questions: readonly Question[]): Promise<Answer[]> {
  if (questions.length === 0) return [];
  const memory = "/dev/shm";
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), "haft-codex-"));
  try {
    for (const [index, { files, patch }] of questions.entries()) {
      const tree = join(folder, `${index}.tree`);
      mkdirSync(tree);
      writeFileSync(join(folder, `${index}.patch`), patch);
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(tree, path)), { recursive: true });
        writeFileSync(join(tree, path), content);
      }
    }
    // Under this name the program is the patcher and nothing else.
    const patcher = join(folder, "apply_patch");
    symlinkSync(findCodex(), patcher);
    const box = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", folder, folder];
    await run("bwrap", [
      ...box,
      "--unshare-all",
      "--die-with-parent",
      "sh",
      "-c",
      SCRIPT,
      "sh",
      patcher,
      folder,
    ]);
    return questions.map((_, index) => readAnswer(folder, index));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readAnswer(folder: string, index: number): Answer {
  const said = readFileSync(join(folder, `${index}.said`), "utf8");
  const code = readFileSync(join(folder, `${index}.code`), "utf8").trim();
  if (code !== "0") return { said };
  const root = join(folder, `${index}.tree`);
  const tree: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    tree[path.slice(root.length + 1)] = readFileSync(path, "utf8");
  }
  return { tree, said };
}

/** Starting the program costs far more than patching, so what is likely to fit is asked together. */
const TOGETHER = 32;

/**
 * As {@link askCodex}, with the sections of several questions in one patch, each in a folder of its own. Where such a
 * patch is refused, its parts are asked again.
 */
export async function askTogether(questions: readonly Question[]): Promise<Answer[]> {
  const answers = new Map<Question, Answer>();
  let groups: Question[][] = [];
  const alone = questions.filter(({ patch }) => !isPlain(patch));
  const plain = questions.filter(({ patch }) => isPlain(patch));
  for (let at = 0; at < plain.length; at += TOGETHER) groups.push(plain.slice(at, at + TOGETHER));
  groups.push(...alone.map((question) => [question]));
  while (groups.length > 0) {
    const said = await askCodex(
      groups.map((group) => (group.length === 1 ? (group[0] as Question) : joinQuestions(group))),
    );
    const again: Question[][] = [];
    for (const [index, group] of groups.entries()) {
      const answer = said[index] as Answer;
      if (group.length === 1) answers.set(group[0] as Question, answer);
      else if (answer.tree === undefined) {
        const half = Math.ceil(group.length / 2);
        again.push(group.slice(0, half), group.slice(half));
      } else for (const [number, question] of group.entries()) answers.set(question, partOf(answer, number));
    }
    groups = again.filter((group) => group.length > 0);
  }
  return questions.map((question) => answers.get(question) as Answer);
}

const HEADER = /^(\*\*\* (?:(?:Add|Delete|Update) File|Move to): )(?=\S)/;

/** One envelope with nothing around it, in which every mark is spelled as it should be. */
function isPlain(patch: string): boolean {
  const lines = patch.split("\n");
  const body = lines.slice(1, -1);
  return (
    lines.length > 2 &&
    lines[0] === "*** Begin Patch" &&
    lines.at(-1) === "*** End Patch" &&
    HEADER.test(body[0] as string) &&
    body.at(-1) !== "" &&
    body.every(
      (line) => !line.trimStart().startsWith("***") || HEADER.test(line) || line === "*** End of File",
    )
  );
}

function joinQuestions(group: readonly Question[]): Question {
  const files = group.flatMap((question, number) =>
    Object.entries(question.files).map(([path, content]) => [`${number}/${path}`, content] as const),
  );
  const sections = group.flatMap(({ patch }, number) =>
    patch
      .split("\n")
      .slice(1, -1)
      .map((line) => line.replace(HEADER, `$1${number}/`)),
  );
  return {
    files: Object.fromEntries(files),
    patch: ["*** Begin Patch", ...sections, "*** End Patch"].join("\n"),
  };
}

function partOf({ tree = {}, said }: Answer, number: number): Answer {
  const prefix = `${number}/`;
  const own = Object.entries(tree).filter(([path]) => path.startsWith(prefix));
  return {
    said,
    tree: Object.fromEntries(own.map(([path, content]) => [path.slice(prefix.length), content])),
  };
}
