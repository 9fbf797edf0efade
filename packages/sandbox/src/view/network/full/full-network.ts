import { attempt, findHostProgram } from "@haft/system";
import { realpathSync } from "node:fs";
import { withCodedErrors } from "../../../programs/host-programs.ts";
import type { OpenNamespaces } from "../../view-spec.ts";
import { networkUnavailableError } from "../network-unavailable-error.ts";
import { attach, type Attached, type Helper } from "./attach.ts";

export interface FullNetwork {
  /**
   * A program connects the separate namespace of the view (network `none`), without the loopback and abstract sockets of the host; its
   * other addresses may be reachable. `host`: the view shares the host's network (`full`).
   */
  kind: "pasta" | "slirp4netns" | "host";
  reason?: string;
  /** Replaces a file of the host, for name resolution. */
  names?: { text: string; path: string };
  /** Runs before the first command. @throws HaftError `NETWORK_UNAVAILABLE`, `HOST_PROGRAM_CHANGED` */
  attach: (open: OpenNamespaces) => Promise<Attached>;
}

/** Forwards to the host's name servers, also on its loopback. */
const PASTA_NAMES = "169.254.1.1";
const SLIRP_NAMES = "10.0.2.3";

const HELPERS: Readonly<Record<"pasta" | "slirp4netns", Helper & { names: string }>> = {
  pasta: {
    names: PASTA_NAMES,
    // Nothing leads to the host's loopback, or from the host inside.
    args: `--foreground --quiet --config-net --no-map-gw --dns-forward ${PASTA_NAMES} -t none -u none -T none -U none`,
    where: (user, net) => `--userns ${user} --netns ${net}`,
  },
  slirp4netns: {
    names: SLIRP_NAMES,
    args: "--configure --mtu=65520 --disable-host-loopback --enable-sandbox --enable-seccomp",
    where: (user, net) => `--userns-path=${user} --netns-type=path ${net} tap0`,
  },
};

/** Selects without a trial. Root uses only slirp4netns, because pasta drops its rights before it could enter root's namespace. */
export function findFullNetwork(): FullNetwork {
  const isRoot = process.getuid?.() === 0;
  const wanted = isRoot ? (["slirp4netns"] as const) : (["pasta", "slirp4netns"] as const);
  const kind = wanted.find((name) => attempt(() => findHostProgram(name).program) !== undefined);
  if (kind === undefined) {
    const missing = isRoot
      ? "slirp4netns is not installed (pasta does not serve root)"
      : "neither pasta, of the package passt, nor slirp4netns is installed";
    return {
      kind: "host",
      reason: `${missing}, or only in a folder that others could have changed`,
      attach: async () => ({ ended: new Promise(() => {}), close: () => {} }),
    };
  }
  const path = attempt(() => realpathSync("/etc/resolv.conf"));
  return {
    kind,
    ...(path !== undefined && { names: { text: `nameserver ${HELPERS[kind].names}\n`, path } }),
    attach: async (open) => {
      const { program } = withCodedErrors(() => findHostProgram(kind));
      if (program === undefined) throw networkUnavailableError(`${kind} cannot be started any more`);
      return attach(program, HELPERS[kind], open);
    },
  };
}
