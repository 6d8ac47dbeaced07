// Whether a click of a link is the page's own to follow. Others are the browser's: a new tab, a window, a download.
type Click = Pick<MouseEvent, 'metaKey' | 'altKey' | 'ctrlKey' | 'shiftKey' | 'button' | 'defaultPrevented'>;
export const isPlain = ({ metaKey, altKey, ctrlKey, shiftKey, button, defaultPrevented }: Click): boolean =>
  !(metaKey || altKey || ctrlKey || shiftKey || defaultPrevented) && button === 0;
