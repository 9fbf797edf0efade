import type { Mount } from "@haft/core";
import { escapeInvisible } from "@haft/utils";
import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Milliseconds for the answer. A result that would be there sooner waits so long at most, once. */
const ANSWER_MS = 5_000;
/** Of each kind that are named. */
const MAX_NAMED = 8;
const MAX_NAME_LENGTH = 300;

/** What is said of them, to the client's log, and to the model with the next result where it is about folders. */
interface SaidOfRoots {
  level: "info" | "warning";
  text: string;
  isForModel: boolean;
}

const UNREADABLE: SaidOfRoots = {
  level: "warning",
  text: "The folders that the client has open could not be read from its answer, so none of them counts.",
  isForModel: false,
};

/**
 * The folders that a client of before 2026 has open, its roots. They choose among the folders of the session, and add none: the model
 * is told where they lie in those, and which of them are not there.
 */
export class ClientRoots {
  readonly #folders: () => readonly Mount[];
  #isAsked = false;
  #said = "";

  /** @param folders of the session, the workspace first; none where the client cannot know of them */
  constructor(folders: () => readonly Mount[]) {
    this.#folders = folders;
  }

  /** They are others now: asked for with the next call. */
  changed(): void {
    this.#isAsked = false;
  }

  /**
   * Asks once, and again once they have changed. `undefined` where there is nothing new to say.
   *
   * @param send a request to the client
   */
  async ask(
    send: (request: { method: "roots/list" }, options: { timeout: number }) => Promise<unknown>,
  ): Promise<SaidOfRoots | undefined> {
    if (this.#isAsked) return undefined;
    this.#isAsked = true;
    const answer = await send({ method: "roots/list" }, { timeout: ANSWER_MS }).catch(() => undefined);
    const { roots } = Object(answer) as { roots?: unknown };
    const said = Array.isArray(roots) ? sayOf(roots.map(uriOf), this.#folders()) : UNREADABLE;
    if (said === undefined || said.text === this.#said) return undefined;
    this.#said = said.text;
    return said;
  }
}

function uriOf(root: unknown): string {
  return String((Object(root) as { uri?: unknown }).uri);
}

/** `undefined` where the client has the workspace open, and nothing else, as most have. */
function sayOf(uris: readonly string[], folders: readonly Mount[]): SaidOfRoots | undefined {
  const places = uris.map((uri) => ({ uri, place: placeIn(pathOf(uri), folders) }));
  const chosen = [...new Set(places.flatMap(({ place }) => place ?? []))];
  const ignored = places.filter(({ place }) => place === undefined).map(({ uri }) => uri);
  const isPlain = chosen.length === 0 || (chosen.length === 1 && chosen[0] === ".");
  if (isPlain && ignored.length === 0) return undefined;
  const lines = [
    ...(isPlain
      ? []
      : [`The client has open: ${named(chosen)}. Paths are relative to the workspace all the same.`]),
    ...(ignored.length === 0
      ? []
      : [
          `The client also names folders that its operator did not give to this session, and they are ignored: ${named(ignored)}.`,
        ]),
  ];
  return { level: ignored.length === 0 ? "info" : "warning", text: `[${lines.join(" ")}]`, isForModel: true };
}

/** The real path of a root; `undefined` of what is no folder of this machine. */
function pathOf(uri: string): string | undefined {
  try {
    const path = fileURLToPath(uri);
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** As tools name it: `.`, `src`, `lib:`, `lib:src`. */
function placeIn(path: string | undefined, folders: readonly Mount[]): string | undefined {
  if (path === undefined) return undefined;
  const inside = folders.flatMap(({ name, path: folder }) => {
    const way = relative(folder, path);
    const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
    return isOutside ? [] : [{ name, way: way.split(sep).join("/") }];
  });
  // Of folders that lie in each other the innermost.
  const [nearest] = inside.toSorted((a, b) => a.way.length - b.way.length);
  if (nearest === undefined) return undefined;
  return nearest.name === "" ? nearest.way || "." : `${nearest.name}:${nearest.way}`;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => escapeInvisible(name.slice(0, MAX_NAME_LENGTH)));
  const more = names.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
