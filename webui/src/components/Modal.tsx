// What lies above the page and has the keyboard for itself: the browser's own dialog.
import type { ReactNode } from 'react';
import { useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';

// `label`: its name, for readers aloud. `leave`: somebody pressed Escape, or beside it; it stays until its owner no longer
// draws it. `isFirm`: what is pressed beside it is not asked about.
interface Props { className: string; label: string; isFirm?: boolean; leave: () => void; children: ReactNode }

const isBeside = ({ left, right, top, bottom }: DOMRect, { clientX: x, clientY: y }: { clientX: number; clientY: number }) => x < left || x > right || y < top || y > bottom;

export function Modal({ className, label, isFirm = false, leave, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const beganBeside = useRef(false);  // a selection that ends beside it began in it
  const latest = useRef(leave);
  latest.current = leave;
  useLayoutEffect(() => {
    const shown = dialog.current!;
    shown.showModal();
    // Else it would be the first button's, which may be the one that deletes.
    if (!shown.querySelector('[autofocus]')) shown.focus();
    // Of the document: a button that was pressed and is off has lost the keyboard, and then nothing in the dialog hears it.
    // The browser's own way would close the dialog the second time, whatever its owner says.
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
      const isUppermost = [...document.querySelectorAll('dialog:modal')].at(-1) === shown;
      if (!isUppermost) return;
      event.preventDefault();
      latest.current();
    };
    // By what is no key, such as a gesture of a telephone.
    const cancel = (event: Event) => { event.preventDefault(); latest.current(); };
    const stay = () => { shown.showModal(); latest.current(); };
    document.addEventListener('keydown', press);
    shown.addEventListener('cancel', cancel);
    shown.addEventListener('close', stay);
    return () => {
      document.removeEventListener('keydown', press);
      shown.removeEventListener('cancel', cancel);
      shown.removeEventListener('close', stay);
      shown.close();  // gives the keyboard back to what had it
    };
  }, []);
  return createPortal(
    <dialog className={className} aria-label={label} ref={dialog} tabIndex={-1}
      onPointerDown={(event) => { beganBeside.current = isBeside(event.currentTarget.getBoundingClientRect(), event); }}
      onClick={(event) => { if (!isFirm && beganBeside.current && event.target === event.currentTarget && isBeside(event.currentTarget.getBoundingClientRect(), event)) leave(); }}>
      {children}
    </dialog>,
    document.body,
  );
}
