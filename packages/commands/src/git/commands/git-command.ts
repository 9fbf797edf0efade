import type { Options } from "../../words/options.ts";

export interface GitCommand {
  /** All options it may have. Absent for commands that only look: those may have any but what {@link "./read-only-commands.ts"} names. */
  options?: Options;
  /** How the values of some options have to look. */
  allowed?: Readonly<Record<string, RegExp>>;
  /**
   * What it does beside its work, as far as settings, hooks and drivers have a say: `index` writes the index, `refs` changes
   * references, `files` those of the working tree, `content` compares or copies files by way of filters, `diff` shows
   * differences by way of drivers, `merge` merges contents, `objects` may tidy up.
   */
  does?: string;
  /** Hooks it runs beside those that follow from what it does. */
  hooks?: string;
  /** Which operands are paths that it makes, moves or removes: of `clone` the second, or what its address names. */
  makes?: "all" | "first" | "second";
  /** Which operands are files that it reads, wherever they are. */
  reads?: "all" | "first";
  /** Sends to another repository, or fetches from it; the first operand names it. */
  exchanges?: "fetch" | "push" | "clone" | "all";
  /** The operand at this place is an address that is written down. */
  address?: number;
}
