/** Extension (or whole name) → language of a Markdown fence. Only where it is not the extension itself. */
const LANGUAGES: Readonly<Record<string, string>> = {
  bash: "sh",
  cc: "cpp",
  cjs: "js",
  cts: "ts",
  cxx: "cpp",
  dockerfile: "dockerfile",
  gemfile: "rb",
  h: "c",
  hh: "cpp",
  hpp: "cpp",
  htm: "html",
  jsonl: "json",
  ksh: "sh",
  makefile: "makefile",
  markdown: "md",
  mjs: "js",
  mk: "makefile",
  mts: "ts",
  patch: "diff",
  pyi: "py",
  rakefile: "rb",
  svg: "xml",
  webmanifest: "json",
  yml: "yaml",
  zsh: "sh",
};

/** Extensions that highlighters know by themselves. */
const SELF: ReadonlySet<string> = new Set(
  (
    "c clj cpp cs css csv dart diff elm erl ex exs fs go gradle graphql groovy hcl hs html ini java jl js json json5 " +
    "jsonc jsx kt less lua md mdx ml nix perl php pl proto ps1 py r rb rs sass scala scss sh sol sql svelte swift tex " +
    "tf toml ts tsx vim vue xml yaml zig"
  ).split(" "),
);

/** Language of a file for a Markdown fence, `undefined` when its name says nothing. */
export function languageOf(path: string): string | undefined {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase();
  const key = name.slice(name.lastIndexOf(".") + 1);
  return Object.hasOwn(LANGUAGES, key) ? LANGUAGES[key] : SELF.has(key) && key !== name ? key : undefined;
}
