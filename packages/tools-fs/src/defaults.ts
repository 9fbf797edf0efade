// What holds for every file tool. Each is defined here once; `test/defaults.test.ts` compares the documents.

/** Other spellings of `path` where it names a file. */
export const PATH_ALIASES: readonly string[] = ["file_path", "filePath", "file"];
/** Other spellings of `path` where it names a folder. */
export const FOLDER_ALIASES: readonly string[] = ["directory", "dir", "folder"];
