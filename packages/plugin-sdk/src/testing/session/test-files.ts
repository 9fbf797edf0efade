import type { Workspace } from "@haft/core";

/** Accesses the files of a test session, without its tools and rules. Paths are relative to the workspace. */
export interface TestFiles {
  /**
   * Returns a file as text.
   *
   * @throws HaftError `FILE_NOT_FOUND` and other errors of the workspace
   */
  read(path: string): Promise<string>;
  /** Writes a file, and creates missing folders. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Returns whether a path exists. */
  exists(path: string): Promise<boolean>;
  /** Returns the sorted paths of all files and links. */
  list(): Promise<string[]>;
  /** Returns all files as text, by path. */
  all(): Promise<Record<string, string>>;
}

export function createTestFiles({ fs }: Workspace): TestFiles {
  const read = async (path: string) => new TextDecoder().decode((await fs.read(path)).bytes);
  const walk = async (folder: string): Promise<string[]> => {
    const { entries } = await fs.list(folder === "" ? "." : folder);
    const inside = entries.map(async ({ name, type }) => {
      const path = folder === "" ? name : `${folder}/${name}`;
      return type === "directory" ? walk(path) : [path];
    });
    return (await Promise.all(inside)).flat();
  };
  const list = async () => (await walk("")).toSorted();
  return {
    read,
    write: async (path, content) => {
      await fs.write(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
    },
    exists: async (path) => (await fs.stat(path, { follow: false })) !== undefined,
    list,
    all: async () => {
      const texts: [string, string][] = [];
      for (const path of await list()) {
        if ((await fs.stat(path))?.type === "file") texts.push([path, await read(path)]);
      }
      return Object.fromEntries(texts);
    },
  };
}
