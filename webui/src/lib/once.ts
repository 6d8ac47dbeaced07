// Makes it when it is first asked for, and gives the same afterwards.
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
