// Labels as people type them: with commas between.
export const labelsOf = (text: string) => [...new Set(text.split(',').map((one) => one.trim()).filter(Boolean))];
export const hasLabel = (labels: readonly string[] | undefined, label: string) => label === '' || labels?.includes(label) === true;
