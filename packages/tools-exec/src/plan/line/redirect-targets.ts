import type { CommandTemplate } from "@haft/commands";
import { HaftError } from "@haft/plugin-sdk";
import { posix } from "node:path";
import type { CommandPlanContext } from "../find-programs.ts";
import type { RedirectTarget } from "../grants/redirect-facts.ts";
import type { LineFiles } from "./line-files.ts";

type RedirectedFile = CommandTemplate["files"][number];

/**
 * Uses `opened` without another lookup: the facts must describe the files that the command opens. An unclear line also has facts, so that a
 * stored answer does not cover other targets.
 */
export async function findRedirectTargets(
  context: CommandPlanContext,
  outline: CommandTemplate,
  opened: LineFiles,
): Promise<readonly RedirectTarget[]> {
  const isClear = opened.unclear === undefined;
  const found = outline.files.map(async (file): Promise<RedirectTarget> => {
    const { path } = file;
    const access = accessOf(file, outline);
    const realPath = isClear ? opened.realPaths.get(path) : undefined;
    if (realPath === undefined) return { path, access, ...(await findMissing(context, file)) };
    return { path, access, realPath, identity: opened.targets.get(realPath) };
  });
  return Promise.all(found);
}

function accessOf({ path, access }: RedirectedFile, { commands }: CommandTemplate): RedirectTarget["access"] {
  if (access === "read") return "read";
  const operators = commands.flatMap(({ redirects }) =>
    redirects.flatMap((one) => (typeof one === "object" && "file" in one && one.file === path ? [one] : [])),
  );
  const writing = operators.filter(({ operator }) => operator.includes(">"));
  return writing.length > 0 && writing.every(({ operator }) => operator.endsWith(">>")) ? "append" : "write";
}

async function findMissing(
  { workspace, processes, where }: CommandPlanContext,
  { path, access }: RedirectedFile,
): Promise<Pick<RedirectTarget, "realPath" | "identity" | "folder" | "error">> {
  const real = await realPathOf(workspace, path);
  const names = [{ name: path, hash: access === "read" }, { name: posix.dirname(real.path) }];
  const { files } = await processes.identify(names, where);
  const [identity, folder] = files;
  if (real.error === undefined) return { realPath: real.path, identity, folder };
  const inFolder = folder && posix.join(folder.realPath, posix.basename(path));
  return { realPath: identity?.realPath ?? inFolder ?? path, identity, folder, error: real.error };
}

async function realPathOf(
  { fs }: CommandPlanContext["workspace"],
  path: string,
): Promise<{ path: string; error?: string }> {
  try {
    return { path: await fs.realpath(path) };
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return { path, error: thrown.code };
  }
}
