import {
  type CommandOutline,
  entersGitFolder,
  isKnownHarmless,
  type OutlinedCommand,
  type RedirectedFile,
} from "@haft/commands";
import { type FileIdentity, messageOf, HaftError, type PathSubject } from "@haft/plugin-sdk";
import { posix } from "node:path";
import type { Ground } from "../look-up.ts";

/** The files that redirects of a line open. */
export interface LineFiles {
  /** Why it is not certain that they are those files, or that they may be opened; as the rest of a sentence. */
  unclear?: string;
  /** For the rules of the tools that write and read. */
  subjects: readonly PathSubject[];
  /** Where each really is, by the path in the outline. */
  realPaths: ReadonlyMap<string, string>;
  /** What has to stay as it is, or stay away, until the command starts. */
  targets: ReadonlyMap<string, FileIdentity | undefined>;
}

/** Looks at the files of redirects, by the boundary that holds for the tools that write and read. */
export async function findLineFiles(ground: Ground, outline: CommandOutline): Promise<LineFiles> {
  const realPaths = new Map<string, string>();
  const targets = new Map<string, FileIdentity | undefined>();
  const subjects: PathSubject[] = [];
  for (const file of outline.files) {
    const found = await findFile(ground, file, outline.commands);
    if (typeof found === "string") return { unclear: found, subjects, realPaths, targets };
    realPaths.set(file.path, found.subject.path);
    targets.set(found.subject.path, found.identity);
    subjects.push(found.subject);
  }
  return { subjects, realPaths, targets };
}

/** Why names that were put in for patterns may be other ones when the line comes to them. */
export function whyLookedTooEarly({ commands, looksAfter = 0 }: CommandOutline): string | undefined {
  const changing = commands.slice(0, looksAfter).find((command) => !isQuiet(command));
  return (
    changing &&
    `it uses a pattern that becomes the names of files, after ${changing.name}, which may change what there is`
  );
}

/** Whether it leaves all files as they are. */
function isQuiet({ builtin, path, argv, redirects }: OutlinedCommand): boolean {
  if (redirects.some((one) => typeof one === "object" && "file" in one && one.operator.includes(">")))
    return false;
  return builtin === true || (path !== undefined && isKnownHarmless(path, argv.slice(1)));
}

async function findFile(
  { workspace, processes, where }: Ground,
  { path, access, from, to }: RedirectedFile,
  commands: readonly OutlinedCommand[],
): Promise<{ subject: PathSubject; identity: FileIdentity | undefined } | string> {
  const { fs } = workspace;
  const verb = access === "write" ? "writes to" : "reads from";
  const what = `it ${verb} ${posix.normalize(path)} by a redirect`;
  // Another command could make a link of it until it is opened.
  const other = commands.find((command, at) => at <= to && at !== from && !isQuiet(command));
  if (other !== undefined) return `${what}, and ${other.name} may change where that is`;
  if (fs.check === undefined) return `${what}, and nobody can be asked whether it may`;
  try {
    await fs.check(path, access);
    const real = await fs.realpath(path);
    if (entersGitFolder(real) || posix.basename(real).startsWith(".git"))
      return `${what}, which decides what git does`;
    const { files } = await processes.identify([{ name: real }], where);
    const [identity] = files;
    const stat = await fs.stat(real);
    if (stat !== undefined && stat.type !== "file") return `${what}, which is no file`;
    if (stat === undefined && access === "read") return `${what}, which is not there`;
    if ((stat === undefined) !== (identity === undefined))
      return `${what}, which is another file to commands`;
    return { subject: { path: real, relative: relativeTo(real, workspace), access }, identity };
  } catch (thrown) {
    if (HaftError.is(thrown)) return `${what}: ${messageOf(thrown).replace(/\.$/, "")}`;
    throw thrown;
  }
}

/** Below the innermost root that holds it. */
function relativeTo(real: string, workspace: Ground["workspace"]): string {
  const roots = workspace.describe().mounts.map(({ path }) => (path.endsWith("/") ? path : `${path}/`));
  const root = roots.filter((one) => real.startsWith(one)).toSorted((a, b) => b.length - a.length)[0] ?? "/";
  return real.slice(root.length);
}
