// Where a menu stands, and which of its items a key leads to.

interface Box { left: number; right: number; top: number; bottom: number }
interface Size { width: number; height: number }
const kGap = 6;  // pixels to the button, and to the window's edge

// Below the button and flush with its end; above it where there is more room. Pixels of the window, which it never leaves
// to the left or above.
export function placeBelow(button: Box, menu: Size, window: Size): { left: number; top: number } {
  const isBelow = button.bottom + kGap + menu.height <= window.height || button.top < window.height - button.bottom;
  const left = Math.min(button.right - menu.width, window.width - menu.width - kGap);
  return { left: Math.max(kGap, left), top: Math.max(kGap, isBelow ? button.bottom + kGap : button.top - kGap - menu.height) };
}

interface Key { key: string; ctrlKey: boolean; altKey: boolean; metaKey: boolean }
// Arrows go round, a letter leads to the next item that begins with it. Undefined: the key is none of the menu's.
export function nextItem(names: readonly string[], at: number, { key, ctrlKey, altKey, metaKey }: Key): number | undefined {
  const count = names.length;
  if (count === 0 || ctrlKey || altKey || metaKey) return undefined;
  switch (key) {
    case 'ArrowDown': return (at + 1) % count;
    case 'ArrowUp': return at <= 0 ? count - 1 : at - 1;
    case 'Home': return 0;
    case 'End': return count - 1;
  }
  if (key.length !== 1 || key === ' ') return undefined;
  for (let step = 1; step <= count; step += 1) {
    const place = (Math.max(at, -1) + step) % count;
    if (names[place]?.toLowerCase().startsWith(key.toLowerCase())) return place;
  }
  return undefined;
}
