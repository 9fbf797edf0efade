import { type CallPlan, HaftError, type Workspace } from "@haft/plugin-sdk";
import { planPaths } from "../paths/planned-paths.ts";

export async function planLookup(
  workspace: Workspace,
  place: () => string | Promise<string>,
): Promise<CallPlan> {
  let path: string;
  try {
    path = await place();
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    // Where it would look is not known; the call itself says why.
    return {};
  }
  const { type } = (await workspace.fs.stat(path).catch(() => undefined)) ?? {};
  const wanted = { path, access: "read", recursive: type !== "file" } as const;
  return planPaths(workspace, [wanted]);
}
