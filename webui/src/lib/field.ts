// Fields whose value stands in the address: what one types goes there after a while, and what somebody else puts there (a saved view, Back,
// a button) comes into the field. The address answers late: what it says is one's own until it is something that one never sent.
import { useCallback, useEffect, useRef, useState } from 'react';

// `known`: what the address says, then what was sent since. The same once `value` has come; undefined where it comes from elsewhere.
export function arrived(known: readonly string[], value: string): readonly string[] | undefined {
  const at = known.indexOf(value);
  return at < 0 ? undefined : known.slice(at);
}

// Gives a function that notes what is sent. `takeOther` hears of a value that comes from elsewhere.
export function useOwn(value: string, takeOther: (value: string) => void): { note: (sent: string) => void; isSent: (text: string) => boolean } {
  const known = useRef<readonly string[]>([value]);
  const take = useRef(takeOther);
  take.current = takeOther;
  useEffect(() => {
    const own = arrived(known.current, value);
    known.current = own ?? [value];
    if (!own) take.current(value);
  }, [value]);
  return {
    note: useCallback((sent: string) => { known.current = [...known.current, sent]; }, []),
    isSent: useCallback((text: string) => known.current[known.current.length - 1] === text, []),
  };
}

interface Options { ms?: number; isRight?: (text: string) => boolean }
// The text of a field and how to set it. `change` gets it when one has stopped typing for `ms` and it `isRight`.
export function useField(value: string, change: (text: string) => void, { ms = 250, isRight = () => true }: Options = {}): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const { note, isSent } = useOwn(value, setText);
  const act = useRef({ change, isRight });
  act.current = { change, isRight };
  useEffect(() => {
    if (isSent(text) || !act.current.isRight(text)) return;
    const timer = setTimeout(() => { note(text); act.current.change(text); }, ms);
    return () => clearTimeout(timer);
  }, [text, ms, note, isSent]);
  return [text, setText];
}
