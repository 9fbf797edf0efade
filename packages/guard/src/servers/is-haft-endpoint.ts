import { readEndpoint } from "@haft/config/internal/boundary";
import { resolveStateFolder } from "@haft/config/internal/home-folder";
import { getExportedEnvironment } from "@haft/config/internal/settings";
import { sha256 } from "@haft/utils";
import { realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { findProcess } from "../clients/find-process.ts";

export interface EndpointAddress {
  url: string;
  token: string;
}

/** Can lead a program to another address. */
const PROXY = /^(?:http|all)_proxy$/i;

/**
 * Returns whether an address is an endpoint of this Haft with the same rules as the hook. Any listener receives address and token, so they
 * prove little. A record in the operator's state folder must have both, its process must run, and the rules must not be newer. Names can
 * lead elsewhere, so it must be an IP address of this machine.
 */
export function isHaftEndpoint(
  { url, token }: EndpointAddress,
  {
    env,
    policyFile,
    files,
  }: { env: NodeJS.ProcessEnv; policyFile?: string | undefined; files: readonly string[] },
): boolean {
  const { value, path: stateDir } = resolveStateFolder();
  const isLed = Object.entries(env).some(([name, where = ""]) => PROXY.test(name) && where !== "");
  if (!isAbsolute(value) || isLed) return false;
  try {
    const called = new URL(url);
    const record = readEndpoint(stateDir, called);
    if (record === undefined || new URL(record.url).href !== called.href) return false;
    const running = findProcess(record.pid);
    if (running === undefined || running.zombie || running.started !== record.started) return false;
    const digest = sha256(token);
    const known = Object.hasOwn(record.tokens, digest) ? record.tokens[digest] : undefined;
    return (
      known !== undefined &&
      realOf(known.policy) === realOf(policyFile) &&
      isSame(record.places, getExportedEnvironment()) &&
      files.every((file) => statSync(file).ctimeMs < record.readAt)
    );
  } catch {
    return false;
  }
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}

function realOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : realpathSync(path);
}
