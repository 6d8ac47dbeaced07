import { textOf } from '../../components/forms';
import { readYaml } from '../../lib/yaml';

// The configuration that the fields make; what stands in the YAML below them goes before it.
export async function configOf(form: FormData): Promise<{ [name: string]: unknown }> {
  const more = await readYaml(textOf(form, 'more'));
  const name = textOf(form, 'name');
  const pool = textOf(form, 'pool');
  const slots = textOf(form, 'slots');
  const idle = textOf(form, 'idle');
  const resources = { ...(slots !== '' && { slots: Number(slots) }), ...(pool && { resource_pool: pool }), ...(more['resources'] as object | undefined) };
  return { ...(name && { description: name }), ...(idle && { idle_timeout: idle }), ...more, ...(Object.keys(resources).length > 0 && { resources }) };
}
