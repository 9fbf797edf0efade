import { computed, effect, signal } from "@preact/signals";

export interface Draft {
  path: string;
  text: string;
  /** Hash of the original text. */
  sha256: string;
}

const STORAGE_KEY = "haft-drafts";

/** By file id; outlive view, reload and inspector. */
export const drafts = signal<Readonly<Record<string, Draft>>>(readStored());
export const draftCount = computed(() => Object.keys(drafts.value).length);
export const draftedFiles = computed(() =>
  Object.values(drafts.value)
    .map(({ path }) => path)
    .join(", "),
);

export function saveDraft(id: string, draft: Draft): void {
  drafts.value = { ...drafts.value, [id]: draft };
}

export function dropDraft(id: string): void {
  const { [id]: _, ...others } = drafts.value;
  drafts.value = others;
}

let isReloading = false;

/** Drafts survive, so no confirmation is needed. */
export function reloadWithDrafts(): void {
  isReloading = true;
  location.reload();
}

/** Stores drafts in the tab, and asks before closing. */
export function watchDrafts(): void {
  effect(() => {
    try {
      sessionStorage.setItem(STORAGE_KEY, JSON.stringify(drafts.value));
    } catch {
      // Drafts stay in memory if storage is full.
    }
  });
  addEventListener("beforeunload", (event) => {
    if (draftCount.value > 0 && !isReloading) event.preventDefault();
  });
}

function readStored(): Readonly<Record<string, Draft>> {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "{}") as Record<string, Draft>;
  } catch {
    return {};
  }
}
