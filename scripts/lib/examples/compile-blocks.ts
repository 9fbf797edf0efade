import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, tool } from "../workspace.ts";

export interface CodeBlock {
  text: string;
  path: string;
  /** The line before the first line, from 1. */
  line: number;
}

const folder = join(root, ".haft/docs");

/**
 * Compiles pieces of TypeScript as one program's modules. `use` works with their files in a repository
 * folder, where `@haft/source` resolves packages to sources.
 *
 * @throws compiler errors at files and lines of the pieces
 */
export async function compileBlocks(
  blocks: readonly CodeBlock[],
  use: (folder: string) => unknown = () => undefined,
): Promise<void> {
  if (blocks.length === 0) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const files = blocks.map((block) => {
      const file = toFileName(block);
      // Blank lines preserve the document's line numbers.
      writeFileSync(join(folder, file), "\n".repeat(block.line) + block.text);
      return file;
    });
    const compilerOptions = {
      noUnusedLocals: false,
      noUnusedParameters: false,
      typeRoots: ["../../node_modules/@types"],
    };
    const config = { extends: "../../tsconfig.json", compilerOptions, files, include: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    await tool("tsc", "-p", folder, "--noEmit");
    await use(folder);
  } catch (error) {
    throw new Error(nameSources((error as Error).message), { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function toFileName({ path, line }: CodeBlock): string {
  return `${path.replaceAll("/", "__")}.${line}.ts`;
}

/** Replaces temporary paths in a message by document paths. */
function nameSources(message: string): string {
  return message.replaceAll(/[^\s(]*?([^/\s(]+)\.\d+\.ts(?=[(:])/g, (_, file: string) =>
    file.replaceAll("__", "/"),
  );
}
