// Apart from the other entries: a hook of an agent loads this before each call, and nothing else of this package.
export {
  IrregularFileError,
  openRegularFile,
  readRegularFile,
  type RegularFileOptions,
} from "../system/read-regular-file.ts";
