import { defineConfig } from "vite";

// Separate chunks with hashed names let the server forbid inline code. `--mode export` makes one inline
// script and style sheet.
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
    // The page's dependencies.
    license: { fileName: "licences.md" },
    // Mangled, but readable by lines.
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
