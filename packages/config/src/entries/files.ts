// For the packages beside this one. Not public: it may change with any version.
export { readText } from "../files/read-text.ts";
export { shellWord } from "../files/shell-word.ts";
export { writeAtomically } from "../files/write-atomically.ts";
