import type { FileSystem } from "@haft/core";
import type { Fence } from "@haft/core/internal";
import { lazy, withoutUndefined } from "@haft/utils";
import { failure } from "../boundary/failures.ts";
import { type BoundaryOptions, openBoundary } from "../boundary/open-boundary.ts";
import { createCheckedFolders } from "../boundary/walk/checked-folders.ts";
import { createKernelFolders } from "../boundary/walk/kernel-folders.ts";
import { openWorkspace } from "../files/host-workspace.ts";
import type { OpenSettings } from "../wire/protocol.ts";
import { serveScans } from "./serve-scans.ts";
import { type Answer, performPlain, type Services } from "./server.ts";

export { baseEnvironment } from "./environment/environment.ts";

const PLAIN = ["fs.stat", "fs.realpath", "fs.mkdirp", "fs.remove", "fs.rename", "fs.check"];

/** A listing must fit the head of a frame. */
const MAX_NAMES_BYTES = 2 * 1024 * 1024;

/** @throws HaftError `ROOT_INVALID` */
export function serveFiles(settings: OpenSettings, homeDir: string): NonNullable<Services["files"]> {
  const [main, ...others] = settings.mounts;
  const boundary: Omit<BoundaryOptions, "added"> = withoutUndefined({
    root: main!.path,
    rootAccess: main!.access,
    roots: Object.fromEntries(others.map(({ name, path, access }) => [name, { path, access }])),
    homeDir,
    // Commands of the sandbox read all files, under any name.
    hardLinks: "allow",
    deny: settings.deny,
  });
  const folders = createKernelFolders() ?? createCheckedFolders();
  const { fs } = openWorkspace(
    withoutUndefined({
      ...boundary,
      // The host protects these, and can ask for consent.
      projectSettings: [],
      startFiles: [],
      readOnly: settings.readOnly,
      maxReadBytes: settings.maxReadBytes,
    }),
    folders,
  );
  const scan = lazy(async () => serveScans(openBoundary({ ...boundary, added: {} }, folders)));
  return async (op, args, body, { signal, fence }) => {
    const [path, options] = args as [string, object];
    const fenced = fence && asFailures(fence, op, path);
    switch (op) {
      case "fs.read": {
        const { bytes, stat } = await fs.read(path, { ...options, signal });
        return { value: stat, bodies: [bytes] };
      }
      case "fs.write":
        return just(await fs.write(path, body, { ...options, ...(fenced && { fence: fenced }), signal }));
      case "fs.append":
        return just(await fs.append(path, body, fenced && { fence: fenced }));
      case "fs.scan":
        return just((await scan())(path, options));
      case "fs.list":
        return just(cut(await fs.list(path, options)));
      default:
        return just(await performPlain(fs, PLAIN, op, fenced ? fencedArguments(op, args, fenced) : args));
    }
  };
}

const OPTIONS_AT: Readonly<Record<string, number>> = { "fs.mkdirp": 1, "fs.remove": 1, "fs.rename": 2 };

function fencedArguments(op: string, args: unknown[], fence: Fence): unknown[] {
  const at = OPTIONS_AT[op];
  return at === undefined ? args : [...args.slice(0, at), { ...(args[at] as object), fence }];
}

function asFailures(fence: Fence, op: string, path: string): Fence {
  return {
    endsAt: fence.endsAt,
    check() {
      try {
        fence.check();
      } catch (cause) {
        throw failure("SESSION_LEASE_LOST", { verb: op.slice("fs.".length), path }, { cause });
      }
    },
  };
}

function just(value: unknown): Answer {
  return { value: value ?? null, bodies: [] };
}

function cut(listing: Awaited<ReturnType<FileSystem["list"]>>): typeof listing {
  let size = 0;
  const over = listing.entries.findIndex(
    ({ name }) => (size += JSON.stringify(name).length + 30) > MAX_NAMES_BYTES,
  );
  return over === -1 ? listing : { entries: listing.entries.slice(0, over), truncated: true };
}
