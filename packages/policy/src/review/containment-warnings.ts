import { formatPath, type KeyPath } from "../read/problems.ts";
import type { LayerContainment } from "../rules/containment.ts";
import { isNarrower, narrowerNetwork } from "../rules/network.ts";
import type { Scope } from "../rules/scopes.ts";
import type { Warn } from "./idle-warnings.ts";

/** @param elsewhere another document may require containment */
export function warnOfIdleContainment(scopes: readonly Scope[], elsewhere: boolean, warn: Warn): void {
  const root = scopes.find(({ path }) => path.length === 0)?.exec?.containment;
  for (const scope of scopes) {
    const { path, rules, exec } = scope;
    if (rules.exec === undefined) continue;
    const { containment, network, caches } = rules.exec;
    const at = (key: string): KeyPath => [...path, "exec", key];
    const keys = [
      ...(exec?.containment?.mode === undefined ? [] : [exec.containment.key.at(-1) as string]),
      ...(network === undefined ? [] : ["network"]),
      ...(caches === undefined ? [] : ["caches"]),
    ];
    if (path[0] === "sessions" && path[1] === "sandboxed") {
      const message = "Sandboxed sessions use their sandbox, so this has no effect.";
      for (const key of keys) warn(at(key), message);
      continue;
    }
    if (!elsewhere && !scopes.some((other) => wantsWith(other, scope))) {
      const message =
        'It has no effect without containment, which no layer requires; add `containment: "workspace"` or the preset "contained".';
      for (const key of keys) warn(at(key), message);
      continue;
    }
    if (typeof network === "object") warnOfThisMachine(network, at("network"), warn);
    if (scope.path.length === 0 || root === undefined) continue;
    if (containment === "none" && root.mode !== undefined) {
      const message = `${formatPath(root.key)} requires containment in every session, and layers only tighten, so this has no effect.`;
      warn(at("containment"), message);
    }
    if (network !== undefined) warnOfWiderNetwork(network, root, at("network"), warn);
  }
}

function wantsWith(one: Scope, other: Scope): boolean {
  if (one.exec?.containment?.mode === undefined) return false;
  const [part] = one.path;
  return one === other || part !== other.path[0] || part === "models" || part === "senders";
}

const THIS_MACHINE = /^(?:(?:.*\.)?localhost|127\.[\d.]+|0\.0\.0\.0|\[?::1?\]?)$/i;

function warnOfThisMachine(hosts: readonly string[], path: KeyPath, warn: Warn): void {
  for (const [index, host] of hosts.entries()) {
    if (!THIS_MACHINE.test(host)) continue;
    const message = `${JSON.stringify(host)} has no effect here: contained commands have their own loopback and never reach services of this machine.`;
    warn([...path, index], message);
  }
}

function warnOfWiderNetwork(
  network: NonNullable<LayerContainment["network"]>,
  root: LayerContainment,
  path: KeyPath,
  warn: Warn,
): void {
  if (root.network === undefined || isNarrower(network, root.network)) return;
  const left = narrowerNetwork(network, root.network);
  const what = typeof left === "string" ? "nothing" : left.join(", ");
  const rootKey = root.networkKey.at(-1);
  const position = formatPath(root.networkKey);
  const subject = rootKey === "network" ? position : `${position}, which has no network,`;
  const list = formatPath([...root.networkKey.slice(0, -1), "network"]);
  const message = `${subject} allows less in every session, and layers only tighten, so commands reach ${what}; add the hosts to ${list} first.`;
  warn(path, message);
}
