export interface ModelsSearch { q?: string | undefined; label?: string | undefined; archived?: boolean | undefined }

export function readModelsSearch({ q, label, archived }: Record<string, unknown>): ModelsSearch {
  return {
    ...(q !== undefined && q !== '' && { q: String(q) }), ...(label !== undefined && label !== '' && { label: String(label) }), ...(archived === true && { archived }),
  };
}
