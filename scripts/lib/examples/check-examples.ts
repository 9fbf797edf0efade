import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectNone } from "../checks.ts";
import { fences } from "../markdown.ts";
import { newerSyntax } from "../newer-syntax.ts";
import { publicPackages, run } from "../workspace.ts";
import { compileBlocks, toFileName, type CodeBlock } from "./compile-blocks.ts";
import { type PublicDeclaration, publicDeclarations } from "./public-declarations.ts";
import { withComparisons } from "./with-comparisons.ts";

interface Example extends CodeBlock {
  isRun: boolean;
}

/** Milliseconds for all examples. */
const LIMIT_MS = 60_000;

/**
 * Checks that public functions and classes have a compiling `@example`, and that `ts run` examples end with
 * the values after `// =>`.
 *
 * @param folders of packages (`packages/core`); default all
 * @throws one line per problem
 */
export async function checkExamples(folders: readonly string[]): Promise<void> {
  const packages = publicPackages().filter(({ folder }) => folders.length === 0 || folders.includes(folder));
  const declarations = [...new Set(packages.flatMap(publicDeclarations))];
  const examples = declarations.flatMap(readExamples);
  const problems = [
    ...declarations
      .filter(lacksExample)
      .map(({ name, path }) => `${path}: ${name} has no @example in a block of ts`),
    ...examples.flatMap(({ path, line, text, isRun }) => [
      ...newerSyntax(text).map((found) => `${path}:${line}: ${found}`),
      ...(!isRun && text.includes("// =>")
        ? [`${path}:${line}: a value is compared in \`ts run\` only`]
        : []),
    ]),
  ];
  try {
    await compileBlocks(examples, (folder) => runExamples(examples, folder));
  } catch (error) {
    problems.push((error as Error).message);
  }
  expectNone(problems);
}

function lacksExample(declaration: PublicDeclaration): boolean {
  const { kind, comments } = declaration;
  if (kind !== "function" && kind !== "class") return false;
  return (
    readExamples({ ...declaration, comments: comments.filter(({ isInside }) => !isInside) }).length === 0
  );
}

function readExamples({ path, comments }: PublicDeclaration): Example[] {
  return comments.flatMap(({ text, line }) => {
    const start = text.split("\n").findIndex((each) => each.startsWith("@example"));
    return fences(text)
      .filter((fence) => start >= 0 && fence.line > start && /^ts( run)?$/.test(fence.info))
      .map((fence) => ({
        path,
        line: line + fence.line - 1,
        text: fence.text,
        isRun: fence.info === "ts run",
      }));
  });
}

/** Runs examples in sequence in one process, in an empty temporary folder. */
async function runExamples(examples: readonly Example[], folder: string): Promise<void> {
  const files = examples.filter(({ isRun }) => isRun).map((example) => prepare(example, folder));
  const main = join(folder, "main.ts");
  writeFileSync(
    main,
    `let failed = false;
for (const file of ${JSON.stringify(files)}) {
  try {
    await import("./" + file);
  } catch (error) {
    failed = true;
    console.error(file + ":", error);
  }
}
process.exit(failed ? 1 : 0);
`,
  );
  const cwd = mkdtempSync(join(tmpdir(), "haft-examples-"));
  try {
    await run(process.execPath, ["--conditions=@haft/source", "--no-warnings", main], {
      cwd,
      limitMs: LIMIT_MS,
    });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Writes an example with comparisons; returns its file. */
function prepare(example: Example, folder: string): string {
  const { path, line, text } = example;
  const file = toFileName(example);
  try {
    writeFileSync(join(folder, file), "\n".repeat(line) + withComparisons(text));
  } catch (error) {
    throw new Error(`${path}:${line}: ${(error as Error).message}`, { cause: error });
  }
  return file;
}
