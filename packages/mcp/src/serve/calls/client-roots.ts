import type { Mount } from "@haft/core";
import { escapeInvisible } from "@haft/utils";
import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Milliseconds, which may delay one result. */
const ANSWER_MS = 5_000;
const MAX_NAMED = 8;
const MAX_NAME_LENGTH = 300;

/** Goes to the client's log and, if `isForModel`, to the model. */
interface RootsNotice {
  level: "info" | "warning";
  text: string;
  isForModel: boolean;
}

const UNREADABLE: RootsNotice = {
  level: "warning",
  text: "The client's list of open folders is unreadable, so it is ignored.",
  isForModel: false,
};

/**
 * Compares a client's roots (before 2026) with the session's folders. Roots never add folders; the model
 * reads where they are or that they are ignored.
 */
export class ClientRoots {
  readonly #folders: () => readonly Mount[];
  #isRequested = false;
  #reported = "";

  /** @param folders the workspace first; none if clients cannot know them */
  constructor(folders: () => readonly Mount[]) {
    this.#folders = folders;
  }

  changed(): void {
    this.#isRequested = false;
  }

  /** Requests the roots once, and after a change. */
  async ask(
    send: (request: { method: "roots/list" }, options: { timeout: number }) => Promise<unknown>,
  ): Promise<RootsNotice | undefined> {
    if (this.#isRequested) return undefined;
    this.#isRequested = true;
    const answer = await send({ method: "roots/list" }, { timeout: ANSWER_MS }).catch(() => undefined);
    const { roots } = Object(answer) as { roots?: unknown };
    const notice = Array.isArray(roots) ? sayOf(roots.map(uriOf), this.#folders()) : UNREADABLE;
    if (notice === undefined || notice.text === this.#reported) return undefined;
    this.#reported = notice.text;
    return notice;
  }
}

function uriOf(root: unknown): string {
  return String((Object(root) as { uri?: unknown }).uri);
}

/** `undefined` if only the workspace is open. */
function sayOf(uris: readonly string[], folders: readonly Mount[]): RootsNotice | undefined {
  const locations = uris.map((uri) => ({ uri, place: locationIn(pathOf(uri), folders) }));
  const chosen = [...new Set(locations.flatMap(({ place }) => place ?? []))];
  const ignored = locations.filter(({ place }) => place === undefined).map(({ uri }) => uri);
  const isPlain = chosen.length === 0 || (chosen.length === 1 && chosen[0] === ".");
  if (isPlain && ignored.length === 0) return undefined;
  const lines = [
    ...(isPlain ? [] : [`The client has open: ${named(chosen)}. Paths are still relative to the workspace.`]),
    ...(ignored.length === 0
      ? []
      : [
          `The client also has folders open that do not belong to this session; they are ignored: ${named(ignored)}.`,
        ]),
  ];
  return { level: ignored.length === 0 ? "info" : "warning", text: `[${lines.join(" ")}]`, isForModel: true };
}

/** Returns a root's real path on this machine. */
function pathOf(uri: string): string | undefined {
  try {
    const path = fileURLToPath(uri);
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** A tool's path: `.`, `src`, `lib:`, `lib:src`. */
function locationIn(path: string | undefined, folders: readonly Mount[]): string | undefined {
  if (path === undefined) return undefined;
  const inside = folders.flatMap(({ name, path: folder }) => {
    const way = relative(folder, path);
    const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
    return isOutside ? [] : [{ name, way: way.split(sep).join("/") }];
  });
  const [nearest] = inside.toSorted((a, b) => a.way.length - b.way.length);
  if (nearest === undefined) return undefined;
  return nearest.name === "" ? nearest.way || "." : `${nearest.name}:${nearest.way}`;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => escapeInvisible(name.slice(0, MAX_NAME_LENGTH)));
  const more = names.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
