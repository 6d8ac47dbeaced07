// Above a text that one writes, where somebody else has saved another meanwhile.
export function ChangedSince({ what, saved }: { what: string; saved: string }) {
  return (
    <div className="notice bad" role="status">
      <p>Somebody changed {what} since you began to write. Saving replaces what they wrote.</p>
      <details><summary>What they wrote</summary><pre className="command" tabIndex={0}>{saved || 'Nothing: it was removed.'}</pre></details>
    </div>
  );
}
