import { attempt, type HostProgram } from "@haft/system";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { SandboxSpec } from "../backend.ts";
import { detachedUnsupportedError, runtimeError } from "../errors.ts";
import { findBackendProgram, findHostShell } from "../programs/host-programs.ts";

export const ID = "sandbox-runtime";
export const PACKAGE = "@anthropic-ai/sandbox-runtime";

export interface InstalledRuntime {
  module: string;
  version: string;
  seccomp?: string;
  /** Only on Linux. */
  programs?: { bwrap: HostProgram; socat: HostProgram; rg: HostProgram };
  shell: HostProgram;
}

const PROGRAMS = { bwrap: "bubblewrap", socat: "socat", rg: "ripgrep" } as const;

export function findInstalledRuntime(resolve = installedModule): InstalledRuntime {
  if (process.platform !== "linux" && process.platform !== "darwin") {
    throw runtimeError(
      "SANDBOX_UNAVAILABLE",
      "this backend supports Linux and macOS",
      "Use the Docker backend.",
    );
  }
  const module = findPackage(resolve);
  const folder = dirname(fileURLToPath(module));
  const { version } = createRequire(import.meta.url)(join(folder, "../package.json")) as { version: string };
  const found = { module, version };
  if (process.platform === "darwin") return { ...found, shell: findHostShell(runtimeError) };
  const paths = Object.keys(PROGRAMS).map((name) => [name, findBackendProgram(name, runtimeError)] as const);
  const missing = paths.flatMap(([name, path]) =>
    path === undefined ? [name as keyof typeof PROGRAMS] : [],
  );
  if (missing.length > 0) {
    const packages = missing.map((name) => PROGRAMS[name]).join(" ");
    const why = `it needs ${missing.join(" and ")}, which ${missing.length === 1 ? "is" : "are"} not installed`;
    const fix = `Install ${packages} (apt install ${packages}, dnf install ${packages}).`;
    throw runtimeError("SANDBOX_UNAVAILABLE", why, fix);
  }
  const seccomp = join(folder, "../vendor/seccomp", process.arch, "apply-seccomp");
  return {
    ...found,
    shell: findHostShell(runtimeError),
    ...(existsSync(seccomp) ? { seccomp } : {}),
    programs: Object.fromEntries(paths) as NonNullable<InstalledRuntime["programs"]>,
  };
}

function installedModule(name: string): string {
  return pathToFileURL(createRequire(import.meta.url).resolve(name)).href;
}

function findPackage(resolve: (name: string) => string): string {
  const module = attempt(() => fileURLToPath(resolve(PACKAGE)));
  if (module !== undefined && existsSync(module)) return pathToFileURL(module).href;
  const why = `the package ${PACKAGE} is not installed`;
  throw runtimeError("SANDBOX_UNAVAILABLE", why, `Install it next to Haft: npm install ${PACKAGE}`);
}

export function checkRuntimeSupport({ network, lifetime, image }: SandboxSpec): void {
  if (network === "full") {
    const fix = 'Name the hosts, or use the bubblewrap or Docker backend for the network "full".';
    throw runtimeError("SANDBOX_UNSUPPORTED", "its network must be a list of hosts, or none", fix);
  }
  if (image !== undefined) {
    const why = "it uses the programs of this machine";
    throw runtimeError("SANDBOX_UNSUPPORTED", why, "Remove the image, or use the Docker backend.");
  }
  if (lifetime !== "tethered") throw detachedUnsupportedError(runtimeError);
}

export function ownerRequiredError(): Error {
  const why = "its workspace belongs to root, and srt would run commands as root with all capabilities";
  const fix = "Give the workspace to another user (chown -R), name a `user`, or use the bubblewrap backend.";
  return runtimeError("SANDBOX_UNSUPPORTED", why, fix);
}
