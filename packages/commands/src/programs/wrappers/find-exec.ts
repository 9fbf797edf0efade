import { baseName, isSystemName } from "../../words/names.ts";

/** A call of `find` that starts one program for the files it finds. */
export interface FindExec {
  /** The words of `find` itself. */
  own: readonly string[];
  /** What it starts, with `{}` for the files. */
  inner: readonly string[];
  /** Where `inner` begins among the words. */
  at: number;
}

/** Takes `-exec` apart where it stands once, ends, and says itself which program it starts. */
export function readFindExec(argv: readonly string[]): FindExec | undefined {
  const [program = ""] = argv;
  if (!isSystemName(program) || baseName(program) !== "find") return undefined;
  const start = argv.indexOf("-exec");
  if (start < 0) return undefined;
  const end = argv.findIndex(
    (word, at) => at > start && (word === ";" || (word === "+" && argv[at - 1] === "{}")),
  );
  const inner = argv.slice(start + 1, end);
  if (end < 0 || inner.length === 0 || inner[0]?.includes("{}")) return undefined;
  return { own: [...argv.slice(0, start), ...argv.slice(end + 1)], inner, at: start + 1 };
}
