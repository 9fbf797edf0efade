// Defaults and limits of the tools.

/** Aliases of `path`, accepted by every tool for one file. */
export const PATH_ALIASES: readonly string[] = ["file_path", "filePath", "file"];

/** Aliases of `path` in tools for folders. */
export const FOLDER_ALIASES: readonly string[] = ["directory", "dir", "folder"];

export const CLOSED_OBJECT = { additionalProperties: false } as const;

/** Names of options of tools that change files, for bound and unbound tools. */
export const BOUND_CHANGES = {
  journal: true,
  durable: true,
  maxFileBytes: true,
  workspaceOnly: true,
} as const;
export const CHANGE_OPTIONS = { workspace: true, ...BOUND_CHANGES } as const;

/** Limits the arguments of one call and the size of one patch, in characters. They contain whole files. */
export const MAX_ARGUMENT_CHARACTERS = 64 * 1024 * 1024;

/** Larger files are not changed. */
export const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Larger images are not loaded. */
export const MAX_IMAGE_BYTES = 64 * 1024 * 1024;

/** All large providers accept these limits. */
export const IMAGE_LIMITS = { maxSide: 2000, maxBase64Bytes: 4.5 * 1024 * 1024 };

export const FIND_LIMIT = 200;
export const LS_LIMIT = 500;
export const GREP_LIMIT = 100;

export const LOOKUP_MS = 30_000;

/** Limits matching of one batch of files. */
export const GREP_DEADLINE_MS = 5000;

/** Limits jobs of worker threads: images, hunks and edits of one file. */
export const WORKER_DEADLINE_MS = 60_000;

/** Limits the wait for a locked path. */
export const LOCK_WAIT_MS = 10_000;

export const JOURNAL = {
  maxTransactions: 500,
  maxBytes: 256 * 1024 * 1024,
  maxAgeMs: 7 * 24 * 60 * 60 * 1000,
};
