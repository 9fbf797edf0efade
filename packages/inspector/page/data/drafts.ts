import { computed, effect, signal } from "@preact/signals";

/** A file of rules as somebody is editing it, and has not saved it. */
export interface Draft {
  path: string;
  text: string;
  /** Of the text of the file that it began from. */
  sha256: string;
}

const KEPT = "haft-drafts";

/** By the id of their file. They outlive the view, a reload of the page in its tab, and the inspector it was opened with. */
export const drafts = signal<Readonly<Record<string, Draft>>>(readKept());
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

/** Opens the page anew without a question: drafts are there again. */
export function reloadWithDrafts(): void {
  isReloading = true;
  location.reload();
}

/** Keeps drafts in the storage of this tab, and asks before it is closed while there are any. */
export function watchDrafts(): void {
  effect(() => {
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(drafts.value));
    } catch {
      // There is no room for it: then it is in the page alone.
    }
  });
  addEventListener("beforeunload", (event) => {
    if (draftCount.value > 0 && !isReloading) event.preventDefault();
  });
}

function readKept(): Readonly<Record<string, Draft>> {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "{}") as Record<string, Draft>;
  } catch {
    return {};
  }
}
