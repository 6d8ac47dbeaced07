// The batches to ask for when a person zooms: a little more at both sides, so that lines go on to the edge.
export function askedPart(zoom: readonly [number, number] | undefined): readonly [number, number] | undefined {
  if (!zoom) return undefined;
  const margin = (zoom[1] - zoom[0]) / 10;
  // 0 as the last means all to the server.
  return [Math.max(0, Math.floor(zoom[0] - margin)), Math.max(1, Math.ceil(zoom[1] + margin))];
}
