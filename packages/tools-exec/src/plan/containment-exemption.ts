import { withoutUndefined } from "@haft/utils";
import { commandToolError } from "../errors.ts";
import type { StartSpec } from "./start-spec.ts";

export interface ExemptionRequest {
  outside?: boolean | undefined;
  reason?: string | undefined;
  network?: readonly string[] | undefined;
  forward?: number | undefined;
}

export interface ContainmentExemption {
  /** Leaving the view makes other exemptions unnecessary. */
  outside?: true;
  reason?: string;
  /** Lower-case, without duplicates. */
  hosts?: readonly string[];
  forward?: number;
}

const MOST_REASON = 300;

/** @throws `INVALID_ARGUMENTS` */
export function parseExemption(wishes: ExemptionRequest): ContainmentExemption | undefined {
  const { outside, network = [], forward } = wishes;
  const reason = oneLine(wishes.reason);
  if (outside === true) {
    if (network.length > 0)
      throw commandToolError(
        "INVALID_ARGUMENTS",
        "outside=true includes the network of the host, so network has no effect.",
        { fix: "Remove one of them." },
      );
    if (forward !== undefined)
      throw commandToolError(
        "INVALID_ARGUMENTS",
        "outside=true runs on the host itself, where every port is reachable, so forward has no effect.",
        { fix: "Remove one of them." },
      );
    if (reason === undefined)
      throw commandToolError("INVALID_ARGUMENTS", "outside=true needs a reason.", {
        fix: "Set `reason` to one line that explains the need to leave the view, or remove `outside`.",
      });
    return { outside, reason };
  }
  const hosts = wantedHosts(wishes);
  if (hosts.length === 0 && forward === undefined) return undefined;
  return withoutUndefined<ContainmentExemption>({
    reason,
    hosts: hosts.length === 0 ? undefined : hosts,
    forward,
  });
}

export function toExemptionSpec(
  leave: ContainmentExemption | undefined,
): Pick<StartSpec, "outside" | "network" | "forward"> {
  return withoutUndefined({ outside: leave?.outside, network: leave?.hosts, forward: leave?.forward });
}

export function formatUnusedRequests(wishes: ExemptionRequest, isContained: boolean): string[] {
  const { outside, network = [], forward } = wishes;
  if (forward !== undefined && !isContained)
    return ["[forward: no port was forwarded, because commands of this session are not contained]"];
  const asks = outside === true || network.length > 0 || forward !== undefined;
  if (asks || oneLine(wishes.reason) === undefined) return [];
  return ["[reason: ignored, because it belongs to outside, network or forward]"];
}

function oneLine(reason = ""): string | undefined {
  const line = reason.replaceAll(/\s+/g, " ").trim();
  if (line === "") return undefined;
  return line.length > MOST_REASON ? `${line.slice(0, MOST_REASON)}…` : line;
}

const HOST = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;
/** Names and addresses of this machine, which is unreachable, and words of policies. */
const NO_HOST = /^(?:localhost|.*\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|none|full)(?::\d+)?$/;

/** @throws `INVALID_ARGUMENTS` for invalid or unreachable hosts */
function wantedHosts({ network = [] }: ExemptionRequest): readonly string[] {
  const hosts = [...new Set(network.map((host) => host.trim().toLowerCase()))];
  const wrong = hosts.find((host) => !HOST.test(host) || NO_HOST.test(host));
  if (wrong !== undefined)
    throw commandToolError(
      "INVALID_ARGUMENTS",
      `network names ${JSON.stringify(wrong)}, which is not a reachable host.`,
      {
        fix: "Name hosts one by one, such as packages.example.com or packages.example.com:8080; without URLs, * or this machine.",
      },
    );
  return hosts;
}
