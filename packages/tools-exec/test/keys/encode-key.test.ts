import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { encodeInput } from "../../src/keys/encode-input.ts";
import { encodeKey } from "../../src/keys/encode-key.ts";

const normal = { applicationCursorKeys: false, applicationKeypad: false };
const application = { applicationCursorKeys: true, applicationKeypad: true };
const bytesOf = (key: string, modes = normal): string => encodeKey(key, modes)!.replaceAll("\u001b", "ESC");

describe("keys", () => {
  test.each([
    ["enter", "\r"], ["Return", "\r"], ["tab", "\t"], ["btab", "ESC[Z"], ["esc", "ESC"], ["Escape", "ESC"],
    ["space", " "], ["bspace", "\u007f"], ["BSpace", "\u007f"], ["backspace", "\u007f"],
    ["up", "ESC[A"], ["down", "ESC[B"], ["right", "ESC[C"], ["left", "ESC[D"], ["home", "ESC[H"], ["end", "ESC[F"],
    ["insert", "ESC[2~"], ["ic", "ESC[2~"], ["delete", "ESC[3~"], ["del", "ESC[3~"], ["dc", "ESC[3~"],
    ["pgup", "ESC[5~"], ["PageUp", "ESC[5~"], ["ppage", "ESC[5~"], ["pgdn", "ESC[6~"], ["npage", "ESC[6~"],
    ["f1", "ESCOP"], ["f2", "ESCOQ"], ["f3", "ESCOR"], ["f4", "ESCOS"], ["f5", "ESC[15~"], ["f6", "ESC[17~"],
    ["f7", "ESC[18~"], ["f8", "ESC[19~"], ["f9", "ESC[20~"], ["f10", "ESC[21~"], ["f11", "ESC[23~"], ["f12", "ESC[24~"],
    ["page-down", "ESC[6~"], ["PageDown", "ESC[6~"], ["Page Up", "ESC[5~"], ["page_up", "ESC[5~"], ["Prior", "ESC[5~"], ["Next", "ESC[6~"],
    ["Up-Arrow", "ESC[A"], ["ArrowLeft", "ESC[D"], ["back-space", "\u007f"], ["<esc>", "ESC"], ["<CR>", "\r"], ["{ENTER}", "\r"],
    ["kp5", "5"], ["kpenter", "\r"], ["kp/", "/"],
  ])("encodes %s", (key, bytes) => {
    expect(bytesOf(key)).toBe(bytes);
  }); // prettier-ignore

  test.each([
    ["ctrl-c", "\u0003"], ["ctrl+c", "\u0003"], ["Ctrl + C", "\u0003"], ["Control-C", "\u0003"], ["<C-c>", "\u0003"], ["control+shift+c", "\u0003"],
    ["alt-x", "ESCx"], ["Meta+x", "ESCx"], ["shift-tab", "ESC[Z"], ["Ctrl-Left", "ESC[1;5D"], ["ctrl-page-down", "ESC[6;5~"], ["Option+Enter", "ESC\r"],
    ["C-c", "\u0003"], ["^c", "\u0003"], ["^C", "\u0003"], ["C-C", "\u0003"], ["c-c", "\u0003"], ["C-[", "ESC"], ["C-space", "\0"],
    ["C-?", "\u007f"], ["^?", "\u007f"], ["C-bspace", "\b"], ["M-x", "ESCx"], ["S-x", "X"], ["M-S-x", "ESCX"],
    ["C-M-c", "ESC\u0003"], ["M-C-c", "ESC\u0003"], ["S-tab", "ESC[Z"], ["M-enter", "ESC\r"],
    ["S-up", "ESC[1;2A"], ["M-up", "ESC[1;3A"], ["C-up", "ESC[1;5A"], ["C-M-S-left", "ESC[1;8D"],
    ["C-f1", "ESC[1;5P"], ["S-f5", "ESC[15;2~"], ["C-delete", "ESC[3;5~"], ["C-home", "ESC[1;5H"],
  ])("encodes modifiers: %s", (key, bytes) => {
    expect(bytesOf(key)).toBe(bytes);
  }); // prettier-ignore

  test.each([
    ["up", "ESCOA"], ["home", "ESCOH"], ["C-up", "ESC[1;5A"], ["kp5", "ESCOu"], ["kpenter", "ESCOM"], ["pgup", "ESC[5~"],
  ])("encodes keys for applications: %s", (key, bytes) => {
    expect(bytesOf(key, application)).toBe(bytes);
  }); // prettier-ignore

  test.each([
    "hello", ":wq", "q", "é", "😀", "^", "-", "constructor", "__proto__", "Buy milk", "git log -p", "end of file", "a; b", "f(1)",
    "control", "<b>", "{x}", "\n", "\u0003", "up to you", "x-ray", "c++", "page",
  ])("sends text unchanged: %j", (key) => {
    expect(encodeKey(key, normal)).toBe(key);
  }); // prettier-ignore

  test.each([
    "C-hello", "M-hello", "C-é", "C-1", "S-unknown", "C-", "ctrl-", "ctrl+", "Ctrl", "ctrl-c ctrl-c", "F99", "f13", "f0", "enter; touch x", "up, up",
    "C-c\nrm", "\u001b[A", "a\n", "CapsLock", "print-screen",
  ])("rejects an unknown key: %j", (key) => {
    expect(encodeKey(key, normal)).toBeUndefined();
  }); // prettier-ignore
});

describe("input", () => {
  test("sends literal, then hex, then keys", () => {
    const { parts, warnings } = encodeInput(
      { literal: "é", hex: ["ff", "0x00 1b", "414243"], keys: ["enter"] },
      normal,
    );
    expect(Buffer.concat(parts).toString("hex")).toBe("c3a9ff001b4142430d");
    expect(warnings).toEqual([]);
  });

  test("sends bytes after an escape key later", () => {
    const { parts } = encodeInput({ literal: "x", keys: ["esc", ":q", "M-a", "escape", "up"] }, normal);
    expect(parts.map(String)).toEqual(["x\u001b", ":q\u001ba\u001b", "\u001b[A"]);
    expect(encodeInput({ keys: ["esc"] }, normal).parts).toHaveLength(1);
  });

  test("sends bytes unchanged, not as characters", () => {
    expect(encodeInput({ hex: ["80", "ff"] }, normal).parts).toEqual([Buffer.of(0x80, 0xff)]);
  });

  test.each(["g0", "abc", "", "0x"])("rejects an invalid byte: %j", (token) => {
    expect(encodeInput({ hex: [token] }, normal)).toMatchObject({
      parts: [],
      warnings: [`${JSON.stringify(token)} is not a hexadecimal byte and was ignored.`],
    });
  });

  test("rejects an unknown key with the list of keys, before anything is sent", () => {
    expect(() => encodeInput({ literal: "x", keys: ["enter", "F99"] }, normal)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENTS",
        message: '"F99" is an unknown key, so nothing was sent.',
        fix: expect.stringMatching(/enter, tab.*f12.*C-c.*literal/),
        receipt: "none",
      }),
    );
  });

  property.prop([fc.string({ unit: codePoint })])("sends or reports every input", (key) => {
    try {
      const { parts, warnings } = encodeInput({ keys: [key] }, normal);
      expect(parts.length > 0 || warnings.length > 0 || key === "").toBe(true);
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: "INVALID_ARGUMENTS" });
    }
  });
});
