import { computed, effect, signal } from "@preact/signals";

/** `auto`: follows the system. */
export type Theme = "auto" | "light" | "dark";

const STORAGE_KEY = "haft-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const system = signal<"light" | "dark">(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => (system.value = dark.matches ? "dark" : "light"));

export const chosenTheme = signal<Theme>(readTheme());
export const shownTheme = computed(() => (chosenTheme.value === "auto" ? system.value : chosenTheme.value));

effect(() => {
  document.documentElement.dataset["theme"] = shownTheme.value;
});

export function nextTheme(): void {
  const next = { auto: "light", light: "dark", dark: "auto" } as const;
  chosenTheme.value = next[chosenTheme.value];
  try {
    localStorage.setItem(STORAGE_KEY, chosenTheme.value);
  } catch {
    // Lasts until the page closes.
  }
}

function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return stored === "light" || stored === "dark" ? stored : "auto";
  } catch {
    // Files in frames have no storage.
    return "auto";
  }
}
