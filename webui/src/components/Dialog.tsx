// A question before something is done, and a frame for longer dialogs.
import type { ReactNode } from 'react';
import { useLayoutEffect, useRef } from 'react';
import { Modal } from './Modal';

// `isFirm`: one writes in it, so a click beside it does not close it. `isLast`: what it shows does not come again, so
// nothing but its button does. `isBusy`: what was asked for is under way, so nothing closes it yet: what is refused is told
// here.
interface FrameProps {
  title: string; close: () => void; isWide?: boolean; isFirm?: boolean; isLast?: boolean; isBusy?: boolean;
  children: ReactNode;
}
export function Frame({ isOpen, ...props }: FrameProps & { isOpen: boolean }) {
  return isOpen ? <Opened {...props} /> : null;
}

// Escape while it is busy closes it when what was asked for is done, unless that was refused.
function Opened({ title, close, isWide, isFirm = false, isLast = false, isBusy = false, children }: FrameProps) {
  const shown = useRef<HTMLDivElement>(null);
  const wasBusy = useRef(false);
  const closes = useRef(false);  // Escape was pressed meanwhile
  useLayoutEffect(() => {
    const ended = wasBusy.current && !isBusy;
    if (isBusy && !wasBusy.current) closes.current = false;
    wasBusy.current = isBusy;
    if (!ended) return;
    if (closes.current && !isLast && !shown.current?.querySelector('[role="alert"]')) close();
    // The button that was pressed could not be while it worked, so it lost the keyboard.
    else if (document.activeElement === document.body) shown.current?.closest('dialog')?.focus();
  });
  const leave = () => {
    if (isBusy) closes.current = true;
    else if (!isLast) close();
  };
  return (
    <Modal className={`modal${isWide ? ' wide' : ''}`} label={title} isFirm={isFirm || isBusy} leave={leave}>
      <div className="stack" ref={shown}><h2>{title}</h2>{children}</div>
    </Modal>
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
