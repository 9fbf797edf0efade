import type { Plugin } from "rolldown";

/** In a text that is taken as it is written, an escape would be six characters. */
const RAW = /String\.raw`[^`]*[^\0-\x7f]/;

/** Every other character is written as its escape: a file of nothing else is read as bytes, in half the room. */
export const asciiOnly: Plugin = {
  name: "ascii-only",
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== "chunk") continue;
      if (RAW.test(file.code)) throw new Error(`${file.fileName} has a raw text that is not ASCII.`);
      file.code = file.code.replaceAll(/[^\0-\x7f]/g, (unit) => {
        return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
      });
    }
  },
};
