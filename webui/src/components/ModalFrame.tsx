// The frame of a dialog, above the page. Focus stays inside; Escape closes, and a click beside it.
import { useEffect, useRef } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import type { FrameProps } from './Dialog';

export default function ModalFrame({
  title, close, isWide, isFirm = false, isLast = false, isBusy = false, children,
}: FrameProps) {
  const dialog = useRef<HTMLElement>(null);
  const wasBusy = useRef(false);
  useEffect(() => {
    // The button that was pressed could not be while it worked, so it lost the focus, and Escape would reach nobody.
    if (wasBusy.current && !isBusy && document.activeElement === document.body) dialog.current?.focus();
    wasBusy.current = isBusy;
  }, [isBusy]);
  return (
    <ModalOverlay className="modal-veil" isOpen onOpenChange={(open) => !open && close()}
      isDismissable={!isFirm && !isLast && !isBusy} isKeyboardDismissDisabled={isLast || isBusy}>
      <Modal className={`modal${isWide ? ' wide' : ''}`}>
        <Dialog className="stack" ref={dialog}><Heading slot="title" level={2}>{title}</Heading>{children}</Dialog>
      </Modal>
    </ModalOverlay>
  );
}
