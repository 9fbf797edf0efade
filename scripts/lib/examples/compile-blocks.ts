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
 * Compiles pieces of TypeScript, each as a module, in one program, and then has `use` work with them, while they are
 * files of a folder inside the repository: packages resolve to their sources with the condition `@haft/source`.
 *
 * @throws what the compiler says, with the files and lines that have the pieces
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

/** Puts the paths of documents where a message has those of the blocks' files. */
function nameSources(message: string): string {
  return message.replaceAll(/[^\s(]*?([^/\s(]+)\.\d+\.ts(?=[(:])/g, (_, file: string) =>
    file.replaceAll("__", "/"),
  );
}
