// A question before something is done, and a frame for longer dialogs. Focus stays inside; Escape closes, and a click beside it.
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

// `isFirm`: one writes in it, so a click beside it does not close it. `isLast`: what it shows does not come again, so nothing but its button does.
// `isBusy`: what was asked for is under way, so nothing closes it: what is refused is told here.
interface FrameProps { title: string; isOpen: boolean; close: () => void; isWide?: boolean; isFirm?: boolean; isLast?: boolean; isBusy?: boolean; children: ReactNode }
export function Frame({ title, isOpen, close, isWide, isFirm = false, isLast = false, isBusy = false, children }: FrameProps) {
  const dialog = useRef<HTMLElement>(null);
  const wasBusy = useRef(false);
  useEffect(() => {
    // The button that was pressed could not be while it worked, so it lost the focus, and Escape would reach nobody.
    if (wasBusy.current && !isBusy && document.activeElement === document.body) dialog.current?.focus();
    wasBusy.current = isBusy;
  }, [isBusy]);
  return (
    <ModalOverlay className="modal-veil" isOpen={isOpen} onOpenChange={(open) => !open && close()} isDismissable={!isFirm && !isLast && !isBusy} isKeyboardDismissDisabled={isLast || isBusy}>
      <Modal className={`modal${isWide ? ' wide' : ''}`}>
        <Dialog className="stack" ref={dialog}><Heading slot="title" level={2}>{title}</Heading>{children}</Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface ConfirmProps { title: string; means: string; verb: string; isOpen: boolean; isBusy: boolean; error?: string | undefined; close: () => void; act: () => void }
export function Confirm({ title, means, verb, isOpen, isBusy, error, close, act }: ConfirmProps) {
  return (
    <Frame title={title} isOpen={isOpen} isBusy={isBusy} close={close}>
      <p>{means}</p>
      {error && <p className="notice" role="alert">{error}</p>}
      <div className="cluster">
        <button className="button primary" disabled={isBusy} onClick={act}>{isBusy ? 'Working …' : verb}</button>
        <button className="button" disabled={isBusy} onClick={close}>Close</button>
      </div>
    </Frame>
  );
}
