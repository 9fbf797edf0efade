import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { inspectorError } from "../errors.ts";

export interface PageFiles {
  answer(path: string, encodings: string | undefined): Response;
}

interface File {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer> | undefined;
  isHashed: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** For checkouts without a built page. */
const PLACEHOLDER = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Haft inspector</title>
<h1>The page is not built</h1><p>This is a checkout of Haft: <code>npm run build</code> builds the page.</p></html>`;

const isSource = import.meta.dirname.split(sep).includes("src");

/** @throws HaftError `PACKAGE_MISSING` */
export function findBuildFolder(name: "page" | "export"): string {
  const folder = join(import.meta.dirname, isSource ? "../../dist" : ".", name);
  if (existsSync(folder) || (isSource && name === "page")) return folder;
  throw inspectorError("PACKAGE_MISSING", `There is no page in ${folder}.`);
}

/**
 * Reads the page's files into memory; other files cannot be requested.
 *
 * @throws HaftError `PACKAGE_MISSING` in installed packages
 */
export function readPage(): PageFiles {
  const folder = findBuildFolder("page");
  if (isSource && !existsSync(folder))
    return pageOf(new Map([["/index.html", fileOf("/index.html", Buffer.from(PLACEHOLDER))]]));
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  return pageOf(
    new Map(
      files.map((path) => {
        const name = `/${relative(folder, path).split(sep).join("/")}`;
        return [name, fileOf(name, readFileSync(path))];
      }),
    ),
  );
}

function fileOf(name: string, content: Buffer): File {
  const type = TYPES[extname(name)] ?? "application/octet-stream";
  const isText = /^text\/|json|svg/.test(type);
  return {
    type,
    bytes: Uint8Array.from(content),
    gzip: isText && content.length > 512 ? Uint8Array.from(gzipSync(content)) : undefined,
    isHashed: /[-.][\w-]{8,}\.\w+$/.test(name) && name !== "/index.html",
  };
}

function pageOf(files: ReadonlyMap<string, File>): PageFiles {
  return {
    answer(path, encodings) {
      const file = files.get(path === "/" ? "/index.html" : path);
      if (file === undefined)
        throw inspectorError(
          "INSPECT_NOT_FOUND",
          `The page has no file ${JSON.stringify(path.slice(0, 200))}.`,
        );
      const { type, bytes, gzip, isHashed } = file;
      const zipped = gzip !== undefined && /\bgzip\b/.test(encodings ?? "") ? gzip : undefined;
      return new Response(zipped ?? bytes, {
        headers: {
          "content-type": type,
          "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
          vary: "accept-encoding",
          ...(zipped && { "content-encoding": "gzip" }),
        },
      });
    },
  };
}
