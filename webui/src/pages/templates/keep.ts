// Saving a template that is there. The server takes it whoever saved it last, so it is read once more before.
import type { QueryClient } from '@tanstack/react-query';
import { ask } from '../../api/client';
import type { Template } from '../../api/sections';
import { templatesQuery } from '../../api/sections';
import { readYaml, writeYaml } from '../../lib/yaml';

// Somebody saved `now` meanwhile; nothing where they deleted it.
export class ChangedMeanwhile extends Error {
  constructor(readonly now: string) {
    super('It was not saved: somebody changed this template since you opened it. '
      + 'Look at what they wrote, above, or save once more to replace it.');
  }
}

// `before`: the text that `text` is to replace.
export async function keepTemplate(queries: QueryClient, template: Template, before: string, text: string) {
  const { name = '', workspaceId } = template;
  const config = await readYaml(text);
  const { templates = [] } = await queries.fetchQuery({ ...templatesQuery, staleTime: 0 });
  const found = templates.find((one) => one.name === name);
  const now = found ? await writeYaml(found.config) : '';
  if (now !== before) throw new ChangedMeanwhile(now);
  // Only one that is made anew needs a workspace: another may have been moved since.
  const body = { config, ...(!found && workspaceId !== undefined && { workspaceId }) };
  await ask('put', '/api/v1/templates/{name}', { path: { name }, body });
}
