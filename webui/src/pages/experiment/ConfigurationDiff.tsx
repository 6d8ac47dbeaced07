// Differences of configurations. A chunk of its own: it reads YAML.
import { useQuery } from '@tanstack/react-query';
import { parse, stringify } from 'yaml';
import type { Experiment } from '../../api/queries';
import { experimentQuery } from '../../api/queries';
import Diff from '../../components/Diff';
import { Loaded } from '../../components/states';

// In the order of the names, so that only values differ.
const sorted = (value: unknown) => stringify(value, { sortMapEntries: true });

function handedIn(text: string): string {
  try {
    return sorted(parse(text));
  } catch {
    return text;  // it was read once, by rules that are a little different
  }
}

export function FilledIn({ experiment }: { experiment: Experiment }) {
  return <Diff before={handedIn(experiment.originalConfig ?? '')} after={sorted(experiment.config)} label="What was filled in" same="It was complete as it was handed in." />;
}

export function SinceFork({ experiment, other }: { experiment: Experiment; other: number }) {
  const query = useQuery(experimentQuery(other));
  return (
    <Loaded query={query} what="the other experiment">
      {(found) => <Diff before={sorted(found.experiment?.config)} after={sorted(experiment.config)} label={`Changes since experiment ${other}`} same={`It is that of experiment ${other}.`} />}
    </Loaded>
  );
}
