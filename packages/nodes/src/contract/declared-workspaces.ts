import { type DeclaredWorkspace, type NodeWorkspace, offerOf } from "./workspace.ts";

const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const ISOLATION = /^[a-z][a-z0-9-]{0,31}$/;
const MOST = 32;
const MOST_DESCRIPTION = 1_024;

/** What somebody says they are, without anything else. */
export function declaredWorkspaces(given: readonly unknown[]): DeclaredWorkspace[] {
  return given.map((each) => {
    const { name, description, access, network, isolation } = (each ?? {}) as NodeWorkspace;
    return { name, description, access, network, isolation };
  });
}

/** What keeps these from being offered: which, by the name it is approved by, and why. */
export function problemWithWorkspaces(
  workspaces: readonly DeclaredWorkspace[],
): { offer: string; what: string } | undefined {
  if (workspaces.length > MOST)
    return { offer: "", what: `there are ${workspaces.length} workspaces, and ${MOST} are the most` };
  const seen = new Set<string>();
  for (const workspace of workspaces) {
    const what = seen.has(workspace.name) ? "there are two of this name" : problemOf(workspace);
    if (what !== undefined) return { offer: offerOf(workspace), what };
    seen.add(workspace.name);
  }
  return undefined;
}

function problemOf({ name, description, access, network, isolation }: DeclaredWorkspace): string | undefined {
  if (typeof name !== "string" || !NAME.test(name))
    return "its name has to be a word of lower-case letters, digits and -, such as project";
  if (typeof description !== "string" || description.trim() === "") return "its description is missing";
  if (description.length > MOST_DESCRIPTION)
    return `its description is longer than ${MOST_DESCRIPTION} characters`;
  if (access !== "ro" && access !== "rw") return "its access has to be ro or rw";
  if (network !== "none" && network !== "full") return "its network has to be none or full";
  if (typeof isolation !== "string" || !ISOLATION.test(isolation))
    return "its isolation has to be a word, such as bubblewrap";
  return undefined;
}
