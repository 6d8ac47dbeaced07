// Copies what is shown in `place`. Browsers have no clipboard over plain HTTP; there it is selected and copied as a person would. False: it is only
// selected.
export async function copyFrom(place: HTMLElement | null, text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (place instanceof HTMLInputElement) place.select();
    else if (place) getSelection()?.selectAllChildren(place);
    try { return document.execCommand('copy'); } catch { return false; }
  }
}

export type Copied = 'not yet' | 'copied' | 'selected';
export const copyWords = (copied: Copied, words: string) => ({ 'not yet': words, copied: 'Copied', selected: 'Selected: press Ctrl C' })[copied];
