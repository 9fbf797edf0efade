import type { Workspace } from "@haft/core";

/** The files of a test session, beside its tools and its rules. Paths are relative to the workspace. */
export interface TestFiles {
  /** A file as text. @throws HaftError `FILE_NOT_FOUND` and what the workspace says */
  read(path: string): Promise<string>;
  /** Writes a file, and its missing folders. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Whether something is there. */
  exists(path: string): Promise<boolean>;
  /** Paths of all files and links, sorted. */
  list(): Promise<string[]>;
  /** All files as text, by path: for one comparison of everything. */
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
