import {
  type CommandTemplate,
  entersGitFolder,
  isGit,
  isKnownHarmless,
  type TemplateCommand,
  readGitCall,
} from "@haft/commands";
import { type FileIdentity, getErrorMessage, HaftError, type PathSubject } from "@haft/plugin-sdk";
import { posix } from "node:path";
import type { CommandPlanContext } from "../find-programs.ts";

type RedirectedFile = CommandTemplate["files"][number];

export interface LineFiles {
  unclear?: string;
  subjects: readonly PathSubject[];
  realPaths: ReadonlyMap<string, string>;
  created: ReadonlySet<string>;
  /** Must be unchanged at the start. */
  targets: ReadonlyMap<string, FileIdentity | undefined>;
}

export const NO_LINE_FILES: LineFiles = {
  subjects: [],
  realPaths: new Map(),
  created: new Set(),
  targets: new Map(),
};

/**
 * Adds the checked files to the outline. The first redirect creates a missing file, and fails if it exists by then, instead of following a
 * new link.
 */
export function withRealFiles(outline: CommandTemplate, { realPaths, created }: LineFiles): CommandTemplate {
  if (realPaths.size === 0) return outline;
  const left = new Set(created);
  const commands = outline.commands.map((command) => ({
    ...command,
    redirects: command.redirects.map((one) => {
      if (typeof one === "string" || !("file" in one)) return one;
      const file = realPaths.get(one.file) ?? one.file;
      const isFirst = one.operator.includes(">") && left.delete(file);
      const operator = isFirst
        ? one.operator.replace(/>[>|]?$/, ">")
        : one.operator.replace(/^([12]?)>$/, "$1>|");
      return { operator, file };
    }),
  }));
  return { ...outline, commands, makesFiles: true };
}

export async function findLineFiles(
  context: CommandPlanContext,
  outline: CommandTemplate,
): Promise<LineFiles> {
  const realPaths = new Map<string, string>();
  const targets = new Map<string, FileIdentity | undefined>();
  const made = new Set<string>();
  const subjects: PathSubject[] = [];
  const partial = (unclear: string): LineFiles => ({ unclear, subjects, realPaths, created: made, targets });
  for (const file of outline.files) {
    const found = await findFile(context, file, outline);
    if (typeof found === "string") return partial(found);
    if (made.has(found.subject.path) && hasBranches(outline))
      return partial(`it creates ${posix.normalize(file.path)} by one of several redirects`);
    realPaths.set(file.path, found.subject.path);
    for (const one of found.identities) targets.set(one.path, one);
    if (found.isNew) made.add(found.subject.path);
    subjects.push(found.subject);
  }
  return { subjects, realPaths, created: made, targets };
}

/** A branch can skip the redirect that creates a file, and the next one would follow a new link. */
function hasBranches({ shape, commands }: CommandTemplate): boolean {
  const isBranch = (fragment: CommandTemplate["shape"][number]): boolean =>
    typeof fragment === "string" && /\|\||^(?:if|elif|else|while|until|for)\b/.test(fragment);
  return shape.some(isBranch) || commands.some(({ fills }) => fills.size > 0);
}

/** The line may change files before it uses an expanded pattern. */
export function explainStaleExpansion({
  commands,
  looksAfter,
  unordered,
}: CommandTemplate): string | undefined {
  if (looksAfter === undefined) return undefined;
  const earlier = unordered !== undefined ? commands : commands.slice(0, looksAfter);
  const changing = earlier.find((command) => !isQuiet(command));
  return changing && `it uses a pattern after ${changing.name}, which may change the matching files`;
}

function isQuiet(command: TemplateCommand): boolean {
  const { redirects } = command;
  const writes = redirects.some(
    (one) => typeof one === "object" && "file" in one && one.operator.includes(">"),
  );
  return !writes && isReadOnly(command);
}

/** Ignores targets of redirects. */
function isReadOnly(command: TemplateCommand): boolean {
  const { builtin, path, argv } = command;
  if (isGit(command) && changesFiles(argv.slice(1))) return false;
  return builtin === true || (path !== undefined && isKnownHarmless(path, argv.slice(1)));
}

/** Harmless git commands also create and remove files, and a checkout can create links. */
function changesFiles(args: readonly string[]): boolean {
  const call = readGitCall(args);
  if (call === undefined) return false;
  return "unclear" in call || call.does.has("files") || call.makes.length > 0;
}

async function findFile(
  { workspace, processes, where }: CommandPlanContext,
  { path, access, from, to }: RedirectedFile,
  { commands, unordered }: CommandTemplate,
): Promise<{ subject: PathSubject; identities: readonly FileIdentity[]; isNew: boolean } | string> {
  const { fs } = workspace;
  const verb = access === "write" ? "writes to" : "reads from";
  const what = `it ${verb} ${posix.normalize(path)} by a redirect`;
  // Another command could replace the file by a link before it is opened.
  const other = commands.find(
    (command, at) =>
      (unordered !== undefined || at <= to) &&
      // In a loop, the command itself ran in the round before.
      (at !== from || unordered === "repeated") &&
      !isReadOnly(command),
  );
  if (other !== undefined) return `${what}, and ${other.name} may change where that is`;
  if (fs.check === undefined) return `${what}, and no approval can be requested`;
  try {
    await fs.check(path, access);
    const real = await fs.realpath(path);
    if (entersGitFolder(real) || posix.basename(real).startsWith(".git"))
      return `${what}, which configures git`;
    const { files } = await processes.identify(
      [{ name: real, hash: access === "read" }, { name: posix.dirname(real) }],
      where,
    );
    const [identity, folder] = files;
    const stat = await fs.stat(real, { follow: false });
    if (folder === undefined) return `${what}, in a folder that is not there`;
    if (stat !== undefined && stat.type !== "file") return `${what}, which is not a file`;
    if (stat === undefined && access === "read") return `${what}, which is not there`;
    // The line creates the file in its first round only, so that no other process can place a link there.
    if (stat === undefined && unordered === "repeated") return `${what} in a loop, which is not there`;
    if ((stat === undefined) !== (identity === undefined))
      return `${what}, which is another file to commands`;
    const subject = { path: real, relative: relativeTo(real, workspace), access };
    return { subject, identities: [...(identity ? [identity] : []), folder], isNew: stat === undefined };
  } catch (thrown) {
    if (HaftError.is(thrown)) return `${what}: ${getErrorMessage(thrown).replace(/\.$/, "")}`;
    throw thrown;
  }
}

function relativeTo(real: string, workspace: CommandPlanContext["workspace"]): string {
  const roots = workspace.describe().mounts.map(({ path }) => (path.endsWith("/") ? path : `${path}/`));
  const root = roots.filter((one) => real.startsWith(one)).toSorted((a, b) => b.length - a.length)[0] ?? "/";
  return real.slice(root.length);
}
