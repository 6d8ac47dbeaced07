// `ref={startHere}`: this has the keyboard when it appears; in a dialog, when that opens. The attribute alone would act
// once in the life of a page.
export function startHere(element: HTMLElement | null): void {
  element?.setAttribute('autofocus', '');
  element?.focus();
}
