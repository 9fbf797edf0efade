import { attempt, findHostProgram, hostProgram, unchanged } from "@haft/workspace/internal/system";
import { coded } from "../../../programs/host-programs.ts";
import { networkUnavailable } from "../network-unavailable.ts";
import type { Attached, Helper } from "./attach.ts";
import { attach } from "./attach.ts";

/** The whole network for the commands of a view. */
export interface FullNetwork {
  /**
   * `pasta`, `slirp4netns`: a network namespace of its own, led out by this program: no loopback and no abstract socket of the
   * host is reached. `host`: the host's network, with both.
   */
  kind: "pasta" | "slirp4netns" | "host";
  /** Why it is the host's. */
  reason?: string;
  /** What `/etc/resolv.conf` has to say in there; the host's own where this is missing. */
  resolvConf?: string;
  /**
   * Words in front of a command: it starts in such a namespace, once there is a way out of it. None with `host`.
   *
   * @throws HaftError `HOST_PROGRAM_MISSING`, `HOST_PROGRAM_REFUSED`, `HOST_PROGRAM_CHANGED`
   */
  words: () => string[];
  /**
   * Leads out of the namespace of a command that was started with these words. Nothing to do with `host`.
   *
   * @param pid of what was started
   * @throws HaftError `NETWORK_UNAVAILABLE`; the command then has no network and ends by itself
   */
  attach: (pid: number) => Promise<Attached>;
}

export interface FullNetworkOptions {
  /** Who the commands run as, unless as who runs this. */
  user?: { uid: number; gid: number };
}

/** Waits for a default route: 30 seconds, then nothing was started. Without a program of its own but `sleep`. */
const WHEN_UP = `
up() { while read -r _ to _; do [ "$to" = 00000000 ] && return 0; done </proc/net/route; return 1; }
n=0
until up; do
  n=$((n + 1))
  [ "$n" -lt 1500 ] || { echo "there is no way out of its network namespace" >&2; exit 1; }
  sleep 0.02
done
exec "$@"`;

/** Where it passes names on to the name servers of the host, which may listen on the host's loopback. */
const PASTA_NAMES = "169.254.1.1";
const SLIRP_NAMES = "10.0.2.3";

const HELPERS: Readonly<Record<"pasta" | "slirp4netns", Helper & { names: string }>> = {
  pasta: {
    names: PASTA_NAMES,
    // Neither the gateway nor any port leads to the host's loopback, and no port of the host in.
    args: (pid) =>
      [
        "--foreground --quiet --config-net --no-map-gw",
        `--dns-forward ${PASTA_NAMES} -t none -u none -T none -U none ${pid}`,
      ]
        .join(" ")
        .split(" "),
  },
  slirp4netns: {
    names: SLIRP_NAMES,
    args: (pid, isRoot) => [
      ..."--configure --mtu=65520 --disable-host-loopback --enable-seccomp".split(" "),
      // As another user than root it cannot.
      ...(isRoot ? ["--enable-sandbox"] : [`--userns-path=/proc/${pid}/ns/user`]),
      "--netns-type=path",
      `/proc/${pid}/ns/net`,
      "tap0",
    ],
  },
};

/** The best there is on this machine. Nothing is tried: what does not work after all is an error of `attach`. */
export function findFullNetwork({ user }: FullNetworkOptions = {}): FullNetwork {
  const isRoot = (user?.uid ?? process.getuid?.()) === 0;
  const wanted = isRoot ? (["slirp4netns"] as const) : (["pasta", "slirp4netns"] as const);
  const kind = wanted.find((name) => attempt(() => findHostProgram(name).program) !== undefined);
  if (kind === undefined) {
    return {
      kind: "host",
      reason: `${isRoot ? "slirp4netns is not installed, and pasta does not serve root" : "neither pasta (of the package passt) nor slirp4netns is installed"}, or only where others could have put it`,
      words: () => [],
      attach: async () => ({ ended: new Promise(() => {}), close: () => {} }),
    };
  }
  const helper = HELPERS[kind];
  return {
    kind,
    resolvConf: `nameserver ${helper.names}\n`,
    words: () => [
      coded(() => unchanged(hostProgram("unshare"))),
      // As itself: files belong to whom they belonged before.
      ...(isRoot ? [] : ["--user", "--map-current-user"]),
      "--net",
      "--",
      coded(() => unchanged(hostProgram("sh"))),
      "-c",
      WHEN_UP,
      "haft-network",
    ],
    attach: async (pid) => {
      const { program } = coded(() => findHostProgram(kind));
      if (program === undefined) throw networkUnavailable(`${kind} is not installed any more`);
      return attach({ program, helper, pid, isRoot, user });
    },
  };
}
