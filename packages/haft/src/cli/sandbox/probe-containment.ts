import type { SandboxProbe } from "@haft/sandbox";
import { describeNetwork, probeView, rootRights } from "@haft/sandbox/view";
import { findHostProgram } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { describeReach } from "./describe-reach.ts";

const CONTAINED = "contained";

/** Can commands of sessions on the host be contained? In the form of a backend's probe. Never throws. */
export async function probeContainment(): Promise<SandboxProbe> {
  const { details, ...probe } = await probeView();
  // A session that was started here would work here.
  const [rights] = rootRights([process.cwd()]);
  const more = probe.available
    ? { ...networkDetails(), git: describeGit(), ...(rights && { here: rights }) }
    : {};
  return withoutUndefined<SandboxProbe>({ backend: CONTAINED, ...probe, details: { ...details, ...more } });
}

function networkDetails(): Record<string, string> {
  return {
    "network none": "a loopback of its own",
    "network hosts": "by Haft's proxy, which lets those hosts through",
    "network full": describeReach(describeNetwork("full")),
  };
}

function describeGit(): string {
  const { program, leftOut = [] } = findHostProgram("git");
  if (program !== undefined)
    return `${program.path}; settings of repositories are changed in a copy, and harmless keys come back`;
  const why =
    leftOut.length === 0 ? "is not installed" : `is not started from ${leftOut.join("; nor from ")}`;
  return `${why}: install git, and commands can commit`;
}
