import { posix } from "node:path";
import { hasInnerParentSegment } from "../paths.ts";
import { resolveMissingPath } from "./git-context.ts";
import type { GitUse } from "./git-use.ts";

/** More levels of alternates than git follows. */
const MAX_LENDERS = 5;

/** Explains why given files may be outside the workspace: a link of a patch can lead anywhere. */
export async function explainUncertainRead({
  context,
  call,
  folder,
  isAfterChanges,
}: GitUse): Promise<string | undefined> {
  for (const path of call.reads) {
    const what = `git ${call.name} reads ${path}`;
    if (hasInnerParentSegment(path)) return `${what}, which goes through .. and back`;
    const { real, found } = await resolveMissingPath(context, posix.resolve(folder, path));
    if (!(await context.isInside(real))) return `${what}, which leads out of the workspace, to ${real}`;
    if (found?.isFolder === true) return `${what}, a folder, and whatever the links in it lead to`;
    if (isAfterChanges) return `${what} after files were changed, and it can lead elsewhere then`;
  }
  return undefined;
}

export async function explainSharedObjects({ context, repository }: GitUse): Promise<string | undefined> {
  if (repository === undefined) return undefined;
  const lenders = [`${repository.commonDir}/objects`];
  for (let at = 0; at < lenders.length; at++) {
    const objects = lenders[at] ?? "";
    const list = `${objects}/info/alternates`;
    const [file] = await context.inspectAndGuard([list]);
    if (file === undefined) continue;
    const paths = file.content?.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    if (paths === undefined || paths.some((path) => path.startsWith('"')) || at >= MAX_LENDERS)
      return `${list} cannot be read for certain`;
    for (const path of paths) {
      const { real } = await resolveMissingPath(context, posix.resolve(objects, path));
      if (!(await context.isInside(real))) return `its repository uses objects of another one, in ${real}`;
      if (!lenders.includes(real)) lenders.push(real);
    }
  }
  return undefined;
}
