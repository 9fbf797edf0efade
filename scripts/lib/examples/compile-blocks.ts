import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, tool } from "../workspace.ts";

/** A piece of TypeScript inside of another file. */
export interface CodeBlock {
  text: string;
  /** The file that has it, relative to the root. */
  path: string;
  /** Of the line before its first one, counted from 1. */
  line: number;
}

const folder = join(root, ".haft/docs");

/**
 * Compiles pieces of TypeScript as modules of one program. `use` can work with their files in a folder of the repository, where packages
 * resolve to their sources with the condition `@haft/source`.
 *
 * @throws the errors of the compiler, with the files and lines of the pieces
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
      // Blank lines first: the compiler then names the document's own lines.
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

/** The name of a block's file. */
export function toFileName({ path, line }: CodeBlock): string {
  return `${path.replaceAll("/", "__")}.${line}.ts`;
}

/** Replaces the paths of temporary files in a message by the paths of the documents. */
function nameSources(message: string): string {
  return message.replaceAll(/[^\s(]*?([^/\s(]+)\.\d+\.ts(?=[(:])/g, (_, file: string) =>
    file.replaceAll("__", "/"),
  );
}
