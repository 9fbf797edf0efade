import { baseOf } from "../../paths/locate.ts";

const EXTENSIONS = new Set(
  (
    "py pyi pyw pyx pxd bzl star smk gd nim nims coffee litcoffee hs lhs elm purs fs fsi fsx " +
    "yaml yml mk mak haml slim pug jade sass styl"
  ).split(" "),
);
const NAMES =
  /^(?:GNU)?makefile(?:\..+)?$|^(?:BUILD|WORKSPACE|MODULE)(?:\.bazel)?$|^(?:SConstruct|SConscript|Snakefile|Tiltfile|wscript|justfile)$/i;

/**
 * Is leading white space part of the syntax of such a file, so that a line indented wrongly says something else? By its name
 * only.
 */
export function isIndentationSyntax(path: string): boolean {
  const name = baseOf(path);
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  return NAMES.test(name) || (extension !== undefined && EXTENSIONS.has(extension));
}
