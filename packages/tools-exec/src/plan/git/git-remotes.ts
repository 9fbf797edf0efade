import { isNetworkAddress, rewriteAddress, type GitCall } from "@haft/commands";
import type { GitSetting } from "./git-settings.ts";

type GitExchange = NonNullable<GitCall["exchange"]>;

type Settings = readonly GitSetting[];

export function explainLocalExchange(exchange: GitExchange, settings: Settings): string | undefined {
  const names = exchange.with === "all" ? remotes(settings) : exchange.with;
  const all = names.length > 0 || exchange.with === "all" ? names : byDefault(exchange, settings);
  return all.map((name) => whyHere(name, exchange.way, settings)).find((why) => why !== undefined);
}

export function explainLocalAddress(address: string, settings: Settings): string | undefined {
  const changed = rewritten(address, settings).find((one) => !isNetworkAddress(one));
  return changed === undefined
    ? undefined
    : changed === address
      ? `${address} is not an address of another machine`
      : `${address} stands for ${changed}, which is not an address of another machine`;
}

/** Partial clones fetch missing objects in any command. */
export function explainLocalFetch(settings: Settings): string | undefined {
  const lazy = settings.flatMap(({ key, section, subsection, name, value }) => {
    if (section === "remote" && (name === "promisor" || name === "partialclonefilter"))
      return subsection ?? [];
    return key === "extensions.partialclone" ? (value ?? []) : [];
  });
  return [...new Set(lazy)].map((name) => whyHere(name, "fetch", settings)).find((why) => why !== undefined);
}

function whyHere(name: string, way: GitExchange["way"], settings: Settings): string | undefined {
  // The repository itself. A push to it runs its hooks.
  if (name === "." && way === "fetch") return undefined;
  const about = (key: string): string[] => valuesOf(`remote.${name}.${key}`, settings);
  if (about("vcs").length > 0) return `the remote ${name} names a program (remote.${name}.vcs)`;
  const urls = [...about("url"), ...(way === "push" ? about("pushurl") : [])];
  if (urls.length === 0 && !isNetworkAddress(name))
    return `${name} is not a remote with an address, so it can be another repository on this machine`;
  const addresses = urls.length === 0 ? [name] : urls;
  return addresses.map((one) => explainLocalAddress(one, settings)).find((why) => why !== undefined);
}

/** Git's default depends on the branch at the start. */
function byDefault({ way }: GitExchange, settings: Settings): readonly string[] {
  if (way === "clone") return [];
  const named = settings.flatMap(({ key, section, name, value }) => {
    const isOne =
      (section === "branch" && (name === "remote" || (way === "push" && name === "pushremote"))) ||
      (way === "push" && key === "remote.pushdefault");
    return isOne ? (value ?? []) : [];
  });
  const all = remotes(settings);
  const only = all.length === 1 ? all : ["origin"];
  return [...new Set([...named, ...only])];
}

function remotes(settings: Settings): string[] {
  const names = settings.flatMap(({ section, subsection }) =>
    section === "remote" ? (subsection ?? []) : [],
  );
  return [...new Set(names)];
}

function rewritten(address: string, settings: Settings): string[] {
  const rules = (wanted: string) =>
    settings.flatMap(({ section, subsection, name, value }) =>
      section === "url" && name === wanted && value !== undefined
        ? { from: value, base: subsection ?? "" }
        : [],
    );
  return ["insteadof", "pushinsteadof"].map((wanted) => rewriteAddress(address, rules(wanted)));
}

function valuesOf(key: string, settings: Settings): string[] {
  return settings.flatMap((one) => (one.key === key ? (one.value ?? "") : []));
}
