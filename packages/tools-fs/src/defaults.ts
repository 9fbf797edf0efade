// What the tools do and hold where nobody says otherwise.

/** Other spellings of `path`, accepted by every tool of one file. */
export const PATH_ALIASES: readonly string[] = ["file_path", "filePath", "file"];

/** Those of the tools that look into a folder. */
export const FOLDER_ALIASES: readonly string[] = ["directory", "dir", "folder"];

/** Parameters of a tool: these and no others. */
export const CLOSED_OBJECT = { additionalProperties: false } as const;

/** The names of options that a tool that changes files takes where it is bound to a place, and where it is not. */
export const BOUND_CHANGES = {
  journal: true,
  durable: true,
  maxFileBytes: true,
  workspaceOnly: true,
} as const;
export const CHANGE_OPTIONS = { workspace: true, ...BOUND_CHANGES } as const;

/** Characters of one call's arguments, and of one patch: they hold whole files. */
export const MAX_ARGUMENT_CHARACTERS = 64 * 1024 * 1024;

/** Larger files are not changed. */
export const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Larger images are not even loaded. */
export const MAX_IMAGE_BYTES = 64 * 1024 * 1024;

/** What every large provider takes. */
export const IMAGE_LIMITS = { maxSide: 2000, maxBase64Bytes: 4.5 * 1024 * 1024 };

/** Paths, entries and matches of one answer. */
export const FIND_LIMIT = 200;
export const LS_LIMIT = 500;
export const GREP_LIMIT = 100;

/** One lookup takes no longer. */
export const LOOKUP_MS = 30_000;

/** Matching one batch of files takes no longer. */
export const GREP_DEADLINE_MS = 5000;

/** Work on a thread of its own takes no longer: an image, the hunks of a file, its edits. */
export const WORKER_DEADLINE_MS = 60_000;

/** How long a change waits for a path that somebody else changes. */
export const LOCK_WAIT_MS = 10_000;

/** What a journal holds. */
export const JOURNAL = {
  maxTransactions: 500,
  maxBytes: 256 * 1024 * 1024,
  maxAgeMs: 7 * 24 * 60 * 60 * 1000,
};
