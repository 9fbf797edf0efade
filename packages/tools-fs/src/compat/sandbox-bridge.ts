import { HaftError, type FileStat, requireKnownOptions, type Workspace } from "@haft/plugin-sdk";
import { posix } from "node:path";
import { fileType } from "../content/file-type.ts";
import { isShownImage } from "../images/image-facts.ts";

/** A path, and the folder it is relative to: the root of the workspace by default. */
export interface BridgePath {
  /** Absolute, relative, or a `file:` URL. */
  filePath: string;
  /** Absolute. */
  cwd?: string;
}

/**
 * The file operations of a sandbox by the names tools of the OpenClaw family know them by. All of them are one
 * operation of the workspace, with its boundary, its atomic writes and its error codes.
 */
export interface SandboxBridge {
  /** Where a path is inside, absolute; it need not exist. */
  resolvePath(at: BridgePath): string;
  /** The whole content. */
  readFile(at: BridgePath): Promise<Buffer>;
  /** Creates missing folders unless `mkdir` is `false`. */
  writeFile(
    at: BridgePath & { data: string | Uint8Array; encoding?: BufferEncoding; mkdir?: boolean },
  ): Promise<void>;
  /** With the folders above it. */
  mkdirp(at: BridgePath): Promise<void>;
  /** With `recursive` a folder and all below it; with `force` what is not there is removed already. */
  remove(at: BridgePath & { recursive?: boolean; force?: boolean }): Promise<void>;
  /** Fails where something is at `to`. */
  rename(at: { from: string; to: string; cwd?: string }): Promise<void>;
  /** `size` in bytes, `mtimeMs` in milliseconds since the epoch; `null` when nothing is there. */
  stat(
    at: BridgePath,
  ): Promise<{ type: "file" | "directory" | "other"; size: number; mtimeMs: number } | null>;
}

/** Names a sandbox's file operations as the bridge of the OpenClaw family does. */
export function createSandboxBridge(workspace: Workspace): SandboxBridge {
  const { fs } = workspace;
  const resolvePath = ({ filePath, cwd = workspace.describe().cwd }: BridgePath): string =>
    posix.isAbsolute(filePath) || /^file:\/\//i.test(filePath) ? filePath : posix.resolve(cwd, filePath);
  const removeTree = async (path: string): Promise<void> => {
    const found = await fs.stat(path, { follow: false });
    if (found?.type === "directory") {
      for (;;) {
        const { entries, truncated } = await fs.list(path);
        for (const { name } of entries) await removeTree(posix.join(path, name));
        if (!truncated) break;
      }
    }
    await fs.remove(path);
  };
  return {
    resolvePath,
    async readFile(at) {
      const { bytes } = await fs.read(resolvePath(at));
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    async writeFile({ data, encoding = "utf8", mkdir = true, ...at }) {
      const bytes = typeof data === "string" ? Buffer.from(data, encoding) : data;
      await fs.write(resolvePath(at), bytes, { parents: mkdir });
    },
    mkdirp: async (at) => void (await fs.mkdirp(resolvePath(at))),
    async remove({ recursive = false, force = false, ...at }) {
      const path = resolvePath(at);
      try {
        await (recursive ? removeTree(path) : fs.remove(path));
      } catch (thrown) {
        if (!(force && HaftError.is(thrown) && thrown.code === "FILE_NOT_FOUND")) throw thrown;
      }
    },
    rename: ({ from, to, cwd }) => {
      const within = cwd === undefined ? {} : { cwd };
      return fs.rename(resolvePath({ filePath: from, ...within }), resolvePath({ filePath: to, ...within }));
    },
    async stat(at) {
      const found = await fs.stat(resolvePath(at));
      return found === undefined ? null : { type: typeOf(found), size: found.size, mtimeMs: found.mtimeMs };
    },
  };
}

function typeOf({ type }: FileStat): "file" | "directory" | "other" {
  return type === "file" || type === "directory" ? type : "other";
}

/** What a reading tool of that family asks of a sandbox. */
export function createSandboxReadOperations(params: { bridge: SandboxBridge; root: string }) {
  const { bridge, root } = requireParams("createSandboxReadOperations", params);
  const at = (absolutePath: string): BridgePath => ({ filePath: absolutePath, cwd: root });
  const readFile = (absolutePath: string) => bridge.readFile(at(absolutePath));
  return {
    readFile,
    /** Rejects with the code `ENOENT`, as Node would, when nothing is there. */
    async access(absolutePath: string): Promise<void> {
      if ((await bridge.stat(at(absolutePath))) !== null) return;
      const message = `ENOENT: no such file or directory, access '${absolutePath}'`;
      throw Object.assign(new Error(message), { code: "ENOENT", path: absolutePath });
    },
    /** The type by its bytes, not its name; `undefined` for what is no image that is shown. */
    async detectImageMimeType(absolutePath: string): Promise<string | undefined> {
      const type = fileType(await readFile(absolutePath));
      return type !== undefined && isShownImage(type.mimeType) ? type.mimeType : undefined;
    },
  };
}

/** What a writing tool of that family asks of a sandbox. */
export function createSandboxWriteOperations(params: { bridge: SandboxBridge; root: string }) {
  const { bridge, root } = requireParams("createSandboxWriteOperations", params);
  return {
    mkdir: (dir: string) => bridge.mkdirp({ filePath: dir, cwd: root }),
    writeFile: (absolutePath: string, content: string) =>
      bridge.writeFile({ filePath: absolutePath, cwd: root, data: content }),
  };
}

/** What an editing tool of that family asks of a sandbox. */
export function createSandboxEditOperations(params: { bridge: SandboxBridge; root: string }) {
  requireParams("createSandboxEditOperations", params);
  const { writeFile: write } = createSandboxWriteOperations(params);
  return { ...createSandboxReadOperations(params), writeFile: write };
}

function requireParams<Params extends { bridge: SandboxBridge; root: string }>(
  where: string,
  params: Params,
): Params {
  requireKnownOptions<{ bridge: SandboxBridge; root: string }>(where, params, { bridge: true, root: true });
  return params;
}
