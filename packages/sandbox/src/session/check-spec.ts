import type { HaftError } from "@haft/core";
import { isAbsolute } from "node:path";
import type { SandboxLimits, SandboxSpec } from "../backend.ts";
import { sandboxError } from "../errors.ts";

/** More than any machine has, and nothing that a program would not take for a number. */
const MOST = 2 ** 30;
/** Below it is no limit at all once it is rounded. */
const LEAST: Readonly<Record<keyof SandboxLimits, number>> = {
  memoryMb: 1,
  tasks: 1,
  cpus: 0.01,
  fileMb: 1,
  tmpMb: 1,
};

/**
 * The same for every backend: what is not exactly as its type says would be taken for something else somewhere, and
 * what was meant as a wall would be none.
 *
 * @throws HaftError `INVALID_OPTIONS`
 */
export function checkSpec(spec: SandboxSpec): void {
  const { scope, workspace, mounts, env, network, limits, user, image, setup, lifetime } = spec;
  oneOf("scope", scope, ["session", "agent", "shared"]);
  oneOf("workspace", workspace, ["none", "ro", "rw"]);
  for (const { name, hostPath, path, access } of mounts) {
    const mount = `mounts: ${JSON.stringify(name)}`;
    if (typeof name !== "string") throw invalid("mounts", "each has a name", name);
    oneOf(`${mount}: access`, access, ["ro", "rw"]);
    for (const one of [hostPath, path] as unknown[]) {
      if (typeof one !== "string" || !isAbsolute(one)) throw invalid(mount, "paths are absolute", one);
    }
  }
  for (const [name, value] of Object.entries(env)) {
    if (typeof value !== "string") throw invalid(`env: ${name}`, "it is a text", value);
  }
  if (!isNetwork(network)) {
    throw invalid("network", 'it is "none", "full" or { allow: [host, …] }', network);
  }
  checkLimits(limits);
  if (user !== undefined && !(isId(user?.uid) && isId(user.gid))) {
    throw invalid("user", "uid and gid are whole numbers from 0 on", user);
  }
  for (const [name, value] of Object.entries({ image, setup })) {
    if (value !== undefined && (typeof value !== "string" || value === "")) {
      throw invalid(name, "it is a text that is not empty", value);
    }
  }
  if (lifetime !== "tethered" && !(isTime(lifetime?.idleMs) && isTime(lifetime.maxAgeMs))) {
    throw invalid("lifetime", 'it is "tethered", or { idleMs, maxAgeMs } in milliseconds', lifetime);
  }
}

function checkLimits(limits: SandboxLimits): void {
  for (const [name, least] of Object.entries(LEAST)) {
    const value: unknown = limits?.[name as keyof SandboxLimits];
    if (name === "cpus" && value === 0) continue;
    const whole = name === "tasks" ? Number.isSafeInteger(value) : Number.isFinite(value);
    if (whole && (value as number) >= least && (value as number) <= MOST) continue;
    const kind = name === "tasks" ? "a whole number" : "a number";
    const none = name === "cpus" ? ", or 0 for no limit" : "";
    throw invalid(`limits: ${name}`, `it is ${kind} from ${least} to ${MOST}${none}`, value);
  }
}

function isNetwork(network: unknown): boolean {
  if (network === "none" || network === "full") return true;
  const allow = (network as { allow?: unknown } | null | undefined)?.allow;
  return Array.isArray(allow) && allow.every((host) => typeof host === "string" && host !== "");
}

/** Users and groups are numbers of 32 bits, and the last means none. */
function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32 - 1;
}

/** For longer, no timer is right. */
function isTime(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) > 0 && (value as number) <= Number.MAX_SAFE_INTEGER;
}

function oneOf(where: string, value: unknown, words: readonly string[]): void {
  if (!words.includes(value as string)) throw invalid(where, `it is one of ${words.join(", ")}`, value);
}

function invalid(where: string, rule: string, value: unknown): HaftError {
  const got = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  return sandboxError("INVALID_OPTIONS", `A sandbox cannot have ${where} like this: ${rule}; got ${got}.`, {
    fix: "Correct it, or leave it out for the default.",
  });
}
