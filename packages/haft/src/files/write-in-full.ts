import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** How a file is written. */
export interface WriteInFullOptions {
  /** Its rights; default: those that it has, else what a new file of this user has. */
  mode?: number | undefined;
  /** On the disk before it has its name: where a machine that loses its power is not to leave it empty. */
  flush?: boolean;
  /** What stands in the place of a link: where the link leads (default), since people keep settings in a repository and link them; or the link itself. */
  replaces?: "target" | "link";
  /** Called last, with the file that is replaced: what it throws leaves that as it is. */
  check?: (real: string) => void;
}

/**
 * Writes a file in full or not at all, in a folder that is there. Of one that is replaced, rights stay, and its owner where this user may
 * give files away. Of several who do so at once the last one counts. Loads nothing but the file system: hooks wait for it.
 *
 * @throws what the system says; then the file is as it was, and nothing else is left
 */
export function writeInFull(
  path: string,
  content: string | Uint8Array,
  { mode, flush = false, replaces = "target", check }: WriteInFullOptions = {},
): void {
  const before = replaces === "target" ? statSync(path, { throwIfNoEntry: false }) : undefined;
  const real = before === undefined ? path : realpathSync(path);
  // As the names of what is being written elsewhere, so that what a killed program leaves is known for that.
  const id = Math.floor(Math.random() * 2 ** 48).toString(16);
  const draft = join(dirname(real), `.haft-${process.pid}--${id.padStart(12, "0")}.tmp`);
  const rights = mode ?? before?.mode;
  // Nobody else reads what is not finished.
  const file = openSync(draft, "wx", rights === undefined ? 0o666 : 0o600);
  try {
    try {
      // Goes on until all of it is written: on a full disk a single write takes a part, and says nothing.
      writeFileSync(file, content);
      if (flush) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (before !== undefined && process.getuid?.() === 0) chownSync(draft, before.uid, before.gid);
    if (rights !== undefined && rights !== 0o600) chmodSync(draft, rights & 0o7777);
    check?.(real);
    renameSync(draft, real);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
}
