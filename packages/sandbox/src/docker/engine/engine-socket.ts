import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { dockerError } from "../../errors.ts";

/**
 * The socket of the Engine: the one that was named, that of `DOCKER_HOST`, or the first that is there of Docker's,
 * rootless Docker's, Docker Desktop's and Podman's.
 */
export function findEngineSocket(named?: string, env: NodeJS.ProcessEnv = process.env): string {
  if (named !== undefined) return named.replace(/^unix:\/\//, "");
  const host = env["DOCKER_HOST"];
  if (host !== undefined && host !== "") {
    if (host.startsWith("unix://")) return host.slice("unix://".length);
    const why = `DOCKER_HOST is ${JSON.stringify(host)}, and folders of this machine can only be mounted by an Engine on it`;
    const fix = "Set DOCKER_HOST to unix:// and the path of a socket, or unset it.";
    throw dockerError("SANDBOX_UNAVAILABLE", why, fix);
  }
  const places = usualPlaces(env);
  return places.find((path) => existsSync(path)) ?? places[0]!;
}

export function hasEngine(env: NodeJS.ProcessEnv = process.env): boolean {
  return (env["DOCKER_HOST"] ?? "") !== "" || usualPlaces(env).some((path) => existsSync(path));
}

function usualPlaces(env: NodeJS.ProcessEnv): string[] {
  const runtime = env["XDG_RUNTIME_DIR"] ?? `/run/user/${process.getuid?.() ?? 0}`;
  return [
    "/var/run/docker.sock",
    join(runtime, "docker.sock"),
    join(homedir(), ".docker/run/docker.sock"),
    join(runtime, "podman/podman.sock"),
    "/run/podman/podman.sock",
  ];
}
