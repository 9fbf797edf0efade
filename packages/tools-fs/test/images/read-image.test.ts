import type { ImageBlock, ToolResult } from "@haft/core";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { ReadImageDetails } from "../../src/images/read-image.ts";
import { createReadTool } from "../../src/read/read.ts";
import { bmpImage, GIF_PIXEL, pngImage } from "../support/images.ts";
import { failure, texts } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const tool = createReadTool();

function shownImage(result: ToolResult): ImageBlock {
  const block = result.content.find((one) => one.type === "image");
  if (block?.type !== "image") throw new Error("No image was shown.");
  return block;
}

function bytesOf(block: ImageBlock): Buffer {
  return Buffer.from(block.data, "base64");
}

/** The same picture in the formats that need a real encoder. */
function encoded(type: "jpeg" | "webp"): Promise<Buffer> {
  return sharp(pngImage(40, 30)).toFormat(type).toBuffer();
}

describe("files with only the name of an image", () => {
  it("are rejected if they are empty", async () => {
    const error = await failure(withFiles({ "a.png": "" }).call(tool, { path: "a.png" }));
    expect([error.code, error.message]).toEqual(["IMAGE_INVALID", "read: image payload is empty (a.png)"]);
  });

  it.each([
    ["text", Buffer.from("hello"), "text/plain"],
    ["a PDF document", Buffer.from("%PDF-1.7\n%\xe2\xe3", "latin1"), "application/pdf"],
    ["bytes", Buffer.from([1, 2, 0, 3]), "application/octet-stream"],
    ["an image of another kind", Buffer.from("II*\0\x08\0\0\0", "latin1"), "image/tiff"],
  ])("are rejected: %s", async (_, bytes, actual) => {
    const error = await failure(withFiles({ "a.png": bytes }).call(tool, { path: "a.png" }));
    expect(error.code).toBe("IMAGE_INVALID");
    expect(error.message).toBe(`read: file looks like ${actual} but was treated as image/png (a.png)`);
  });

  it.each([
    ["a.png", pngImage(40, 30).subarray(0, 70)],
    ["a.png", pngImage(40, 30).subarray(0, 12)],
    ["a.jpg", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16])],
    ["a.gif", GIF_PIXEL.subarray(0, 8)],
    ["a.webp", Buffer.from("RIFF\x40\0\0\0WEBPVP8L", "latin1")],
  ])("are rejected if they are truncated: %s, case %#", async (path, bytes) => {
    const error = await failure(withFiles({ [path]: bytes }).call(tool, { path }));
    expect([error.code, error.category]).toEqual(["IMAGE_INVALID", "input"]);
    expect(error.message).toContain(`(${path})`);
  });

  it("are rejected if declared pixels are missing", async () => {
    const bomb = pngImage(3000, 10);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    const error = await failure(withFiles({ "a.png": bomb }).call(tool, { path: "a.png" }));
    expect(error.code).toBe("IMAGE_INVALID");
  });
});

describe("images that models cannot see", () => {
  it.each([
    ["a.bmp", bmpImage(40, 30), "BMP image, 3.6 KB"],
    ["a bitmap cut off", bmpImage(40, 30).subarray(0, 100), "BMP image, 100 B"],
    ["a.tiff", Buffer.from("II*\0\x08\0\0\0", "latin1"), "TIFF image, 8 B"],
  ])("are rejected with the advice to convert %s", async (path, bytes, what) => {
    const error = await failure(withFiles({ [path]: bytes }).call(tool, { path }));
    expect([error.code, error.message]).toEqual([
      "BINARY_FILE",
      `${path} is a binary file (${what}); its bytes are not shown.`,
    ]);
    expect(error.fix).toBe("Convert a copy to PNG and read the copy; png, jpeg, gif and webp are shown.");
  });
});

describe("reading an image", () => {
  it.each([
    ["image/png", async () => pngImage(40, 30), 40, 30],
    ["image/jpeg", () => encoded("jpeg"), 40, 30],
    ["image/webp", () => encoded("webp"), 40, 30],
    ["image/gif", async () => GIF_PIXEL, 1, 1],
  ] as const)("returns %s unchanged", async (mimeType, make, width, height) => {
    const file = await make();
    const result = await withFiles({ picture: file }).call<ReadImageDetails>(tool, { path: "picture" });
    expect(texts(result)).toEqual([`Read image file [${mimeType}]`]);
    expect(shownImage(result).mimeType).toBe(mimeType);
    expect(bytesOf(shownImage(result)).equals(file)).toBe(true);
    expect(result.details).toMatchObject({ kind: "image", mimeType, width, height, size: file.length });
  });

  it("detects the type by content instead of extension", async () => {
    const result = await withFiles({ "a.jpg": pngImage(4, 3) }).call(tool, { path: "a.jpg" });
    expect(texts(result)).toEqual(["Read image file [image/png]"]);
    expect(shownImage(result).mimeType).toBe("image/png");
  });

  it("returns only facts for a model without vision", async () => {
    const { call } = withFiles({ "a.png": pngImage(4, 3) }, { model: { images: false } });
    const result = await call(tool, { path: "a.png" });
    expect(result.content.every((block) => block.type === "text")).toBe(true);
    expect(texts(result)[1]).toMatch(/^\[The model in use cannot see images; \d+ B not attached\.\]$/);
  });

  it.each([
    ["too many pixels a side", () => pngImage(3000, 100), 2000, 67],
    ["a tall one", () => pngImage(50, 2500), 40, 2000],
  ])("reduces %s", async (_, make, width, height) => {
    const result = await withFiles({ picture: make() }).call<ReadImageDetails>(tool, {
      path: "picture",
    });
    const shown = await sharp(bytesOf(shownImage(result))).metadata();
    expect([shown.width, shown.height]).toEqual([width, height]);
    expect(result.details.sent).toMatchObject({ width, height });
    expect(texts(result)[1]).toContain(`${width}x${height}`);
  });

  it("reduces large files without blocking the event loop", async () => {
    const noise = await sharp(randomBytes(900 * 900 * 3), { raw: { width: 900, height: 900, channels: 3 } })
      .png()
      .toBuffer();
    const { call } = withFiles({ "a.png": noise });
    let turns = 0;
    const counter = setInterval(() => (turns += 1), 1);
    const small = createReadTool({ imageLimits: { maxBase64Bytes: 100_000 } });
    const result = await call<ReadImageDetails>(small, { path: "a.png" });
    clearInterval(counter);
    expect(turns).toBeGreaterThan(5);
    expect(shownImage(result).data.length).toBeLessThanOrEqual(100_000);
    expect(shownImage(result).mimeType).toBe("image/jpeg");
    expect(texts(result)[0]).toBe("Read image file [image/jpeg]");
  });

  it("keeps a poorly compressed PNG as PNG", async () => {
    const side = 700;
    const stripes = Buffer.alloc(side * side * 3, "light and dark");
    const raw = { width: side, height: side, channels: 3 } as const;
    const poorly = await sharp(stripes, { raw }).png({ compressionLevel: 0 }).toBuffer();
    const small = createReadTool({ imageLimits: { maxBase64Bytes: 600_000 } });
    const result = await withFiles({ "a.png": poorly }).call<ReadImageDetails>(small, { path: "a.png" });
    expect(result.details.sent).toMatchObject({ mimeType: "image/png", width: side });
  });

  it("rotates images according to their metadata", async () => {
    const sideways = await sharp(pngImage(2400, 100)).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const result = await withFiles({ "a.jpg": sideways }).call<ReadImageDetails>(tool, { path: "a.jpg" });
    expect(result.details.sent).toMatchObject({ width: 83, height: 2000 });
  });

  it("reports that no result fits the limits", async () => {
    const tiny = createReadTool({ imageLimits: { maxBase64Bytes: 40 } });
    const error = await failure(
      withFiles({ "a.png": pngImage(300, 300) })
        .call(tool, { path: "a.png" })
        .then(() => withFiles({ "a.png": pngImage(300, 300) }).call(tiny, { path: "a.png" })),
    );
    expect(error.code).toBe("FILE_TOO_LARGE");
  });

  it("detects that the file changed during the read", async () => {
    const ready = withFiles(
      { "a.png": pngImage(40, 30) },
      {
        wrap: (fs) => ({
          ...fs,
          read: async (...args) => {
            const result = await fs.read(...args);
            writeFileSync(join(ready.folder, "a.png"), pngImage(40, 31));
            return result;
          },
        }),
      },
    );
    expect((await failure(ready.call(tool, { path: "a.png" }))).code).toBe("FILE_CHANGED");
  });
});
