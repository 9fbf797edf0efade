import type { SandboxProbe } from "@haft/sandbox";
import { describeNetwork, probeView, rootRights } from "@haft/sandbox/view";
import { findHostProgram } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { describeReach } from "./describe-reach.ts";

const CONTAINED = "contained";

/** Errors become failed probes. */
export async function probeContainment(): Promise<SandboxProbe> {
  const { details, ...probe } = await probeView();
  const [rights] = rootRights([process.cwd()]);
  const more = probe.available
    ? { ...networkDetails(), git: describeGit(), ...(rights && { here: rights }) }
    : {};
  return withoutUndefined<SandboxProbe>({ backend: CONTAINED, ...probe, details: { ...details, ...more } });
}

function networkDetails(): Record<string, string> {
  return {
    "network none": "a private loopback",
    "network hosts": "through Haft's proxy, which allows only the listed hosts",
    "network full": describeReach(describeNetwork("full")),
  };
}

function describeGit(): string {
  const { program, leftOut = [] } = findHostProgram("git");
  if (program !== undefined)
    return `${program.path}; settings of repositories are changed in a copy, and harmless keys are copied back`;
  const why =
    leftOut.length === 0 ? "is not installed" : `is not started from ${leftOut.join("; nor from ")}`;
  return `${why}: install git, and commands can commit`;
}
