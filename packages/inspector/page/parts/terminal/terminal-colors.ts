import type { ITheme } from "@xterm/xterm";

const LIGHT: ITheme = {
  background: "#fbfcfd",
  foreground: "#1b1f24",
  cursor: "#0f6b54",
  selectionBackground: "#cfe3dc",
  black: "#24292f",
  red: "#b3261e",
  green: "#116329",
  yellow: "#7a5300",
  blue: "#0b57a4",
  magenta: "#8a2fa0",
  cyan: "#0a6a75",
  white: "#57606a",
  brightBlack: "#57606a",
  brightRed: "#9b1c15",
  brightGreen: "#0b5a2a",
  brightYellow: "#684600",
  brightBlue: "#0a4a8c",
  brightMagenta: "#742788",
  brightCyan: "#085a63",
  brightWhite: "#24292f",
};

const DARK: ITheme = {
  background: "#0b0f13",
  foreground: "#e3e9ef",
  cursor: "#58c8a5",
  cursorAccent: "#0b0f13",
  selectionBackground: "#1d4238",
  black: "#4b545e",
  red: "#ff8f7a",
  green: "#6fd08c",
  yellow: "#e5c06a",
  blue: "#7cb8ff",
  magenta: "#d8a0ec",
  cyan: "#6fd0d8",
  white: "#d0d7de",
  brightBlack: "#8b949e",
  brightRed: "#ffab9b",
  brightGreen: "#8fe0a8",
  brightYellow: "#f2d48c",
  brightBlue: "#a0ccff",
  brightMagenta: "#e6bdf5",
  brightCyan: "#94e2e8",
  brightWhite: "#f4f7fa",
};

export function terminalColors(theme: "light" | "dark"): ITheme {
  return theme === "dark" ? DARK : LIGHT;
}
