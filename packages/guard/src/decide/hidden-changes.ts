import { baseName, type CommandTemplate, isReadOnlyCommand } from "@haft/commands";
import { describeOpenAgent } from "../subjects/agent-starts.ts";
import { findPackageChange, MANAGER, mayChangePackages } from "./package-changes.ts";
import type { ProtectedPaths } from "./protected-paths.ts";
import { listRemovals, mayRemove, type Removal } from "./removals.ts";

/**
 * Returns why a command needs approval under any rules, as a sentence: it could change or avoid the guard, but its words do not show
 * whether it does.
 *
 * @param root The project folder.
 */
export async function describeHiddenChange(
  outline: CommandTemplate,
  protectedPaths: ProtectedPaths,
  root: string,
): Promise<string | undefined> {
  const change = findPackageChange(outline, protectedPaths);
  if (change !== undefined) return `${change.reason}.`;
  const agent = describeOpenAgent(outline);
  if (agent !== undefined) return agent;
  const { commands, cwd, text, unclear } = outline;
  const isHidden = (program: RegExp) =>
    unclear !== undefined && !commands.some(({ name }) => program.test(baseName(name)));
  if (isHidden(MANAGER) && mayChangePackages(text))
    return "It can install packages for every project, and they can replace the installed Haft, which decides about calls.";
  const [first, fed] = commands;
  const isFed =
    first !== undefined &&
    fed !== undefined &&
    commands.length === 2 &&
    /^g?find$/.test(baseName(first.name)) &&
    fed.open === true &&
    fed.through.length > 0 &&
    !isReadOnlyCommand(fed);
  const changes = commands.some(
    (command) => command.open === true && command.through.includes("find") && !isReadOnlyCommand(command),
  );
  const removals: Removal[] = commands.flatMap((command) =>
    listRemovals(command, isFed || (changes && command.through.length === 0)),
  );
  if (isHidden(/^(?:git|g?find)$/) && mayRemove(text)) removals.push({ path: cwd, matches: () => true });
  if (removals.length === 0) return undefined;
  const folders = [root, cwd, ...removals.map(({ path }) => path)];
  const settings = (await protectedPaths.findSettings?.(folders)) ?? [];
  const files = [...settings, ...protectedPaths.haftPaths];
  const file = files.find((each) =>
    removals.some(({ path, matches }) => isBelow(each, path) && matches(each)),
  );
  return file === undefined ? undefined : `It can remove or replace ${file}, which the guard needs.`;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}
