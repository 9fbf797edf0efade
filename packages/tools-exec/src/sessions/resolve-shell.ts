import { HaftError, type Processes } from "@haft/plugin-sdk";

export type ShellName = "bash" | "sh";

/** `workspace`: the default shell of the workspace. */
type WantedShell = ShellName | "workspace";

interface ChosenShell {
  name: ShellName | undefined;
  notice?: string;
}

const NO_BASH: ChosenShell = { name: "sh", notice: "[ran in sh: bash is not available]" };
const NOT_LOOKED_UP: ChosenShell = {
  name: "sh",
  notice: "[ran in sh: bash cannot be looked up]",
};

const found = new WeakMap<Processes, Promise<ChosenShell>>();

/** Selects the shell once per session. Default: bash if available. */
export async function resolveShell(processes: Processes, wanted: WantedShell = "bash"): Promise<ChosenShell> {
  if (wanted !== "bash") return { name: wanted === "sh" ? "sh" : undefined };
  let shell = found.get(processes);
  if (shell === undefined) {
    found.set(processes, (shell = findBash(processes)));
    shell.catch(() => found.delete(processes));
  }
  return shell;
}

async function findBash(processes: Processes): Promise<ChosenShell> {
  try {
    const { files } = await processes.identify([{ name: "bash", shell: true }], {});
    return files[0] === undefined ? NO_BASH : { name: "bash" };
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code === "CAPABILITY_MISSING") return NOT_LOOKED_UP;
    throw thrown;
  }
}
