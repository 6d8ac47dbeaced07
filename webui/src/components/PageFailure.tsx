// What stands in place of a page that threw. Where a part of it is missing, the server has a newer page, which is loaded.
import { useEffect, useState } from 'react';
import { isMissingPart, reloadOnce } from '../lib/newer';
import { Heading } from './Heading';
import { Failure, Loading } from './states';

function Outdated() {
  const [isComing, setComing] = useState(true);
  useEffect(() => { void reloadOnce().then(setComing); }, []);
  if (isComing) return <Loading what="the newer version of the page" />;
  return (
    <div className="state failure" role="alert">
      <Heading title="A part of the page could not be loaded" />
      <p>There may be a newer version of the page, or the server cannot be reached.</p>
      <button className="button" onClick={() => location.reload()}>Reload the page</button>
    </div>
  );
}

export function PageFailure({ error, again }: { error: Error; again: () => void }) {
  return isMissingPart(error) ? <Outdated /> : <Failure isPage what="The page" error={error} again={again} />;
}
