// Where to go after signing in: only a place of this page, never another server ("//evil", "https:", a backslash, a line end).
export function safeNext(next: string | undefined): string {
  if (!next || !next.startsWith('/') || /^\/[/\\]|[\\\p{Cc}]/u.test(next) || next.startsWith('/sign-in')) return '/';
  return next;
}
