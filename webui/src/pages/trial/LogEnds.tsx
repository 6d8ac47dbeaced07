// How much of a log is here, and how one gets at the rest of it.
import type { Log } from './log';

// `what`: that in words.
export function LogEnds({ log: { lines, isBegin, isEnd, older, newer, isFollowed, setFollowed }, what, toEnd }: { log: Log; what: string | undefined; toEnd: () => void }) {
  return (
    <div className="cluster">
      {lines && <span className="soft number" role="status">{what}</span>}
      {!isBegin && lines && <button className="button" onClick={() => { setFollowed(false); void older(); }}>Load older lines</button>}
      {!isEnd && lines && <button className="button" onClick={() => void newer()}>Load newer lines</button>}
      {(!isFollowed || !isEnd) && <button className="button" onClick={toEnd}>To the end</button>}
    </div>
  );
}
