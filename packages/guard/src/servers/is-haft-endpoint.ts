import { readEndpoint } from "@haft/config/internal/boundary";
import { resolveStateFolder } from "@haft/config/internal/home-folder";
import { getExportedEnvironment } from "@haft/config/internal/settings";
import { sha256 } from "@haft/utils";
import { realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { findProcess } from "../clients/find-process.ts";

export interface EndpointAddress {
  url: string;
  /** What it sends as `Authorization: Bearer`. */
  token: string;
}

/** By which variables a program may be led to another address than the one it names. */
const PROXY = /^(?:http|all)_proxy$/i;

/**
 * Whether what is called is an endpoint of this Haft that decides by the very rules that the hook has. An address and a token prove
 * little: whoever listens there gets both. So the endpoint has to have said of itself, in the operator's state folder, which no
 * session can write to, that it listens at this address, knows this token, and read the rules as they are now; and its process has to
 * be there. The address is a number of this machine, since names can lead elsewhere.
 *
 * @param hook.files that the rules of the hook come from. Absolute
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
    // What cannot be read proves nothing.
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
