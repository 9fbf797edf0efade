import { attempt } from "@haft/system";
import { parsePath } from "@haft/workspace/internal/boundary";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import type { SandboxMount } from "../backend.ts";

interface Mapped {
  host: readonly string[];
  inside: string;
}

/** Translates the host's paths of mounts: absolute, `~/…` and `file://…`. The deepest mount wins. The sandbox judges other paths. */
export function createPathMapping(
  mounts: readonly Pick<SandboxMount, "hostPath" | "path">[],
  home: string = homedir(),
): (path: string) => string {
  const spellings = mounts.flatMap(({ hostPath, path }): Mapped[] =>
    [...new Set([hostPath, attempt(() => realpathSync(hostPath)) ?? hostPath])].map((host) => ({
      host: namesOf(host),
      inside: path,
    })),
  );
  const deepestFirst = spellings.toSorted((one, other) => other.host.length - one.host.length);
  const inside = mounts.map(({ path }) => namesOf(path));
  return (spelled) => {
    const parsed = attempt(() => parsePath(spelled, { home, isRoot: () => false }));
    if (parsed === undefined || parsed.root !== undefined) return spelled;
    const { components, folder } = parsed;
    if (inside.some((names) => startsWith(components, names))) return spelled;
    const mount = deepestFirst.find(({ host }) => startsWith(components, host));
    if (mount === undefined) return spelled;
    const path = [mount.inside, ...components.slice(mount.host.length)].join("/");
    return folder ? `${path}/` : path;
  };
}

function startsWith(names: readonly string[], start: readonly string[]): boolean {
  return start.every((name, index) => names[index] === name);
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}
