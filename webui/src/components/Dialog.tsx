// A question before something is done, and a frame for longer dialogs.
import type { ReactNode } from 'react';
import { useOverlays } from './overlays';

// `isFirm`: one writes in it, so a click beside it does not close it. `isLast`: what it shows does not come again, so
// nothing but its button does. `isBusy`: what was asked for is under way, so nothing closes it yet: what is refused is told
// here.
export interface FrameProps {
  title: string; isOpen: boolean; close: () => void; isWide?: boolean; isFirm?: boolean; isLast?: boolean;
  isBusy?: boolean; children: ReactNode;
}
export function Frame(props: FrameProps) {
  const Shown = useOverlays(props.isOpen)?.ModalFrame;
  return props.isOpen && Shown ? <Shown {...props} /> : null;
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
