import { defineConfig } from "vite";

// The page: one entry, and chunks for what is seldom opened. Everything is a file of its own with a hash in its name, so that
// the server can forbid whatever stands inline.
// `--mode export` makes the page that is exported with its data: one script and one style sheet, which stand in the file.
export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  base: "./",
  ...(mode === "export" && { publicDir: false as const }),
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: mode === "export" ? "../dist/export" : "../dist/page",
    cssCodeSplit: mode !== "export",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    // Of what is in the page beside Haft.
    license: { fileName: "licences.md" },
    // Small, and still with lines: whoever installs it may want to read it.
    minify: false,
    rolldownOptions: {
      ...(mode === "export" && { input: `${import.meta.dirname}/export/main.tsx` }),
      output: {
        minify: { compress: true, mangle: true, codegen: { removeWhitespace: false } },
        ...(mode === "export" && {
          codeSplitting: false,
          entryFileNames: "page.js",
          assetFileNames: "page.[ext]",
        }),
      },
    },
  },
}));
