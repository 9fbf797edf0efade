import type { Options } from "../../words/options.ts";

export interface GitCommand {
  /** Lists all allowed options. Absent for read-only commands: they allow all except those in {@link "./read-only-commands.ts"}. */
  options?: Options;
  allowed?: Readonly<Record<string, RegExp>>;
  /**
   * Lists side effects on which settings, hooks and drivers act: `index` writes the index, `refs` changes references, `files` changes the
   * working tree, `content` uses filters, `diff` uses drivers, `merge` merges contents, `objects` may run garbage collection.
   */
  does?: string;
  /** Hooks that do not follow from `does`. */
  hooks?: string;
  /** Operands that are paths it creates, moves or removes: for `clone` the second, or the name in its address. */
  makes?: "all" | "first" | "second";
  /** Operands that are files it reads, at any path. */
  reads?: "all" | "first";
  /** The first operand names the other repository. */
  exchanges?: "fetch" | "push" | "clone" | "all";
  address?: number;
}
