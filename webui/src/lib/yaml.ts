// A configuration as people write it. The parser loads with the first that is read.
export async function readYaml(text: string): Promise<{ [name: string]: unknown }> {
  if (text.trim() === '') return {};
  const { parse } = await import('yaml');
  const value: unknown = parse(text, { maxAliasCount: 100 });
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error('This is no configuration: it needs lines such as "resources: {slots: 1}".');
  return value as { [name: string]: unknown };
}

export async function writeYaml(value: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(value);
}
