import { isStateFolderListing, resolveStateFolder } from "@haft/config/internal/home-folder";
import { lstatSync, mkdirSync, readdirSync, realpathSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

const GROUP_AND_OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Node keeps what it makes of the code that is loaded from now on, in the state folder, and takes it from there the next time: a
 * tenth of a start. It takes what it finds for what it wrote, so whoever can write there runs code in a host. Therefore only
 * in a folder that nobody but this user could have written to, and that is closed to every session, as the state folder is.
 * Where there is none the start takes longer, and nothing else is different. The state folder is not made for it: who only looks
 * around leaves nothing.
 */
export function enableCompileCache(): void {
  const { NODE_COMPILE_CACHE: named, NODE_DISABLE_COMPILE_CACHE: disabled } = process.env;
  // Without user numbers nobody can say whose a folder is.
  if (named || disabled || process.geteuid === undefined) return;
  const folder = privateFolder(process.geteuid());
  if (folder !== undefined) process.getBuiltinModule("node:module").enableCompileCache(folder);
}

/** Without links; `undefined` where there is no state folder, and when it cannot be made, or could be somebody else's. */
function privateFolder(user: number): string | undefined {
  const { value, path } = resolveStateFolder();
  if (!isAbsolute(value)) return undefined;
  try {
    const state = realpathSync.native(path);
    if (!stays(state, user) || !isStateFolderListing(readdirSync(state))) return undefined;
    const folder = join(state, "compiled");
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { mode: 0o700 });
    const found = lstatSync(folder);
    const isPrivate = found.isDirectory() && found.uid === user && (found.mode & GROUP_AND_OTHERS) === 0;
    return isPrivate ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Whether nobody else can put another folder where one in this folder is. */
function stays(folder: string, user: number): boolean {
  const found = lstatSync(folder);
  const isSafe = (found.uid === user || found.uid === 0) && !isOpen(found);
  return isSafe && (dirname(folder) === folder || stays(dirname(folder), user));
}

function isOpen({ mode }: Stats): boolean {
  return (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0;
}
