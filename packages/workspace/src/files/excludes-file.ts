import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { findHostProgram } from "../system/host-program.ts";
import { runProgram } from "../system/start-program.ts";

/** Git is not waited for any longer, in milliseconds. */
const DEADLINE_MS = 5_000;

const asked = new Map<string, Promise<string | undefined>>();

/**
 * The file of what somebody has ignored in every repository: git's `core.excludesFile`, or where git looks for it by
 * itself. Git is asked once for each home folder, outside of every repository, so that none of them decides.
 */
export function excludesFile(home: string): Promise<string | undefined> {
  const known = asked.get(home);
  if (known !== undefined) return known;
  const answer = lookUp(home);
  asked.set(home, answer);
  return answer;
}

async function lookUp(home: string): Promise<string | undefined> {
  const env = environmentOf(home);
  const configuration = env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const ownFiles = [join(home, ".gitconfig"), join(configuration, "git/config"), "/etc/gitconfig"];
  const isConfigured = [...ownFiles, env["GIT_CONFIG_GLOBAL"] ?? ""].some(
    (path) => path !== "" && existsSync(path),
  );
  const named = isConfigured ? await askGit(env) : undefined;
  if (named === "") return undefined;
  return named !== undefined && isAbsolute(named) ? named : join(configuration, "git/ignore");
}

/** Of another person's home folder nothing is known but what is in it. */
function environmentOf(home: string): Record<string, string | undefined> {
  const own = home === homedir();
  const { GIT_CONFIG_GLOBAL, XDG_CONFIG_HOME } = own ? process.env : {};
  return {
    HOME: home,
    GIT_CEILING_DIRECTORIES: "/",
    ...(GIT_CONFIG_GLOBAL && { GIT_CONFIG_GLOBAL }),
    ...(XDG_CONFIG_HOME && { XDG_CONFIG_HOME }),
  };
}

/** Empty: none at all. Without git nothing is known. */
async function askGit(env: Record<string, string | undefined>): Promise<string | undefined> {
  try {
    const { program } = findHostProgram("git");
    if (program === undefined) return undefined;
    const options = { cwd: "/", env, timeout: DEADLINE_MS };
    const args = ["config", "--type=path", "--get", "core.excludesFile"];
    const { output, failure } = await runProgram(program, args, options);
    return failure === undefined ? output.replace(/\r?\n$/, "") : undefined;
  } catch {
    // Replaced while it was looked at: then it is not asked.
    return undefined;
  }
}
