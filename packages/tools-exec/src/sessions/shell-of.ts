import { HaftError, type Processes } from "@haft/plugin-sdk";

/** The shells that command lines of `exec` are for. */
export type ShellName = "bash" | "sh";

const found = new WeakMap<Processes, Promise<ShellName>>();

/**
 * The shell of a session's commands: bash, where that is wanted and there is one. Looked for once; where nothing can be
 * looked up (`CAPABILITY_MISSING`) it is `sh`.
 */
export async function shellOf(processes: Processes, wanted: ShellName = "sh"): Promise<ShellName> {
  if (wanted === "sh") return "sh";
  let shell = found.get(processes);
  if (shell === undefined) {
    found.set(processes, (shell = lookForBash(processes)));
    // Whatever it was, the next command looks again.
    shell.catch(() => found.delete(processes));
  }
  return shell;
}

async function lookForBash(processes: Processes): Promise<ShellName> {
  try {
    const { files } = await processes.identify([{ name: "bash", shell: true }], {});
    return files[0] === undefined ? "sh" : "bash";
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code === "CAPABILITY_MISSING") return "sh";
    throw thrown;
  }
}
