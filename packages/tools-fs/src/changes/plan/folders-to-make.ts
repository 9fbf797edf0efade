import type { FileSystem, HaftError } from "@haft/plugin-sdk";
import { fileToolError } from "../../errors.ts";
import { parentOf } from "../../paths/locate.ts";
import { createdPath, type TransactionStep } from "../journal/transaction.ts";

/**
 * Folders the steps will have to make, outermost first: rolling back removes them again.
 *
 * @throws `NOT_A_DIRECTORY` when a file that stays is where a folder is needed.
 */
export async function foldersToMake(fs: FileSystem, steps: readonly TransactionStep[]): Promise<string[]> {
  const present = new Set<string>();
  const missing = new Set<string>();
  const removed = new Set(steps.flatMap((step) => (step.kind === "remove" ? [step.path] : [])));
  for (const step of steps) {
    const path = createdPath(step);
    const chain: string[] = [];
    for (let folder = path && parentOf(path); folder !== undefined; folder = parentOf(folder)) {
      if (present.has(folder) || missing.has(folder)) break;
      const found = await fs.stat(folder);
      if (found?.type === "directory") {
        present.add(folder);
        break;
      }
      if (found !== undefined && !removed.has(folder)) throw fileInTheWay(folder);
      chain.unshift(folder);
    }
    for (const folder of chain) missing.add(folder);
  }
  return [...missing];
}

function fileInTheWay(path: string): HaftError {
  const message = `${path} is a file, where a folder is needed.`;
  const fix = "Choose another path, or delete that file first in the same change.";
  return fileToolError("NOT_A_DIRECTORY", message, { fix, details: { path }, receipt: "none" });
}
