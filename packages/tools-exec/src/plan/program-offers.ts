import type { CommandOutline } from "@haft/commands";
import { programKey } from "@haft/commands";
import type { CallPlan, GrantOffer, Mount } from "@haft/core";

/**
 * Which programs could be trusted here whatever their arguments; or why that cannot be offered for this command.
 * Trusting a program must not be trusting more than that program.
 */
export function programOffers(
  outline: CommandOutline,
  env: Readonly<Record<string, string>>,
  mounts: readonly Mount[],
): Pick<CallPlan, "programs" | "noProgramGrant"> {
  const noProgramGrant = whyNone(outline, env) ?? whyChangeable(outline, mounts);
  if (noProgramGrant !== undefined) return { noProgramGrant };
  const offers = new Map<string, GrantOffer>();
  for (const { path, cwd } of outline.commands) {
    if (path === undefined) continue;
    const key = programKey(path, cwd);
    offers.set(key, { kind: "program", key, summary: `${path} in ${cwd}` });
  }
  return { programs: [...offers.values()] };
}

function whyNone(
  { unclear, commands, files }: CommandOutline,
  env: Readonly<Record<string, string>>,
): string | undefined {
  if (unclear !== undefined) return `which programs it runs is not certain: ${unclear}`;
  const carrier = commands.find((command) => command.carrier !== undefined);
  if (carrier !== undefined) return `${carrier.name}: ${carrier.carrier}`;
  if (files.length > 0)
    return "it also reads or writes files by redirection, which is none of the program's doing";
  if (Object.keys(env).length > 0) return "it also sets variables, which can change what a program does";
  const missing = commands.find(({ builtin, path }) => builtin !== true && path === undefined);
  if (missing !== undefined) return `${missing.name} is not there`;
  if (commands.every(({ builtin }) => builtin)) return "no program is started, the shell does it all";
  return undefined;
}

/** Whoever may write where a program lies can put another in its place: the agent itself, with its file tools. */
function whyChangeable({ commands }: CommandOutline, mounts: readonly Mount[]): string | undefined {
  const writable = mounts.filter(({ access, path }) => access === "rw" && path !== "/");
  const own = commands.find(({ path }) => writable.some((mount) => path?.startsWith(`${mount.path}/`)));
  return own && `${own.name} lies in the workspace, where it can be changed at any time`;
}
