import { defineConfig } from "vite";

// The page: one entry, and chunks for what is seldom opened. Everything is a file of its own with a hash in its name, so that
// the server can forbid whatever stands inline.
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/page",
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
      output: { minify: { compress: true, mangle: true, codegen: { removeWhitespace: false } } },
    },
  },
});
