// The frame of a dialog, above the page. Focus stays inside; Escape closes, and a click beside it. Escape while it is
// busy closes it when what was asked for is done, unless that was refused, or showed what does not come again.
import { useEffect, useRef } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import type { FrameProps } from './Dialog';

export default function ModalFrame({
  title, close, isWide, isFirm = false, isLast = false, isBusy = false, children,
}: FrameProps) {
  const dialog = useRef<HTMLElement>(null);
  const wasBusy = useRef(false);
  const closes = useRef(false);  // Escape was pressed meanwhile
  useEffect(() => {
    if (!isBusy) return;
    closes.current = false;
    const note = ({ key }: KeyboardEvent) => { if (key === 'Escape') closes.current = true; };
    document.addEventListener('keydown', note);
    return () => document.removeEventListener('keydown', note);
  }, [isBusy]);
  useEffect(() => {
    const ended = wasBusy.current && !isBusy;
    wasBusy.current = isBusy;
    if (!ended) return;
    if (closes.current && !isLast && !dialog.current?.querySelector('[role="alert"]')) close();
    // The button that was pressed could not be while it worked, so it lost the focus, and Escape would reach nobody.
    else if (document.activeElement === document.body) dialog.current?.focus();
  });
  return (
    <ModalOverlay className="modal-veil" isOpen onOpenChange={(open) => !open && close()}
      isDismissable={!isFirm && !isLast && !isBusy} isKeyboardDismissDisabled={isLast || isBusy}>
      <Modal className={`modal${isWide ? ' wide' : ''}`}>
        <Dialog className="stack" ref={dialog}><Heading slot="title" level={2}>{title}</Heading>{children}</Dialog>
      </Modal>
    </ModalOverlay>
  );
}
