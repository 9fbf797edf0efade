import type { CommandTemplate } from "@haft/commands";
import { commandToolError } from "../../errors.ts";

const EDITORS = new Set(
  (
    "vi vim vim.basic vim.tiny vim.nox nvim vimdiff view nano rnano pico emacs emacs-nox micro hx helix joe jed " +
    "mcedit ne kak mg tilde dte"
  ).split(" "),
);
/** Options with which editors need no person. `+12` is only a line. */
const UNATTENDED = /^(?:-[cesESlhQ]|-(?:batch|version|es|Es)|--|\+\D)/;

/**
 * Refuses a foreground command with an editor that has neither terminal nor input.
 *
 * @throws `EDITOR_NEEDS_TERMINAL`
 */
export function refuseEditor({
  commands,
  shape,
  files,
}: Pick<CommandTemplate, "commands" | "shape" | "files">): void {
  const isPiped = shape.some((piece) => typeof piece === "string" && /(?:^|[^|])\|(?:[^|]|$)/.test(piece));
  if (isPiped) return;
  for (const [at, { argv, redirects }] of commands.entries()) {
    const name = argv[0]?.replace(/^.*\//, "") ?? "";
    if (!EDITORS.has(name) || argv.slice(1).some((word) => UNATTENDED.test(word))) continue;
    if (files.some(({ access, from, to }) => access === "read" && from <= at && at <= to)) continue;
    if (redirects.some((one) => (typeof one === "string" ? one : one.operator).includes("<"))) continue;
    throw commandToolError("EDITOR_NEEDS_TERMINAL", `${name} would wait for a person, but has no terminal.`);
  }
}
