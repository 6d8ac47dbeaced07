// Where to go after signing in: only a place of this page, never another server ("//evil", "https:", a backslash, a line end).
export function safeNext(next: string | undefined): string {
  if (!next || !next.startsWith('/') || /^\/[/\\]|[\\\p{Cc}]/u.test(next) || next.startsWith('/sign-in')) return '/';
  return next;
}

// The way to the provider of single sign-on, which leads back to `next`. `page`: the address of this page's folder.
export function signOnHref(ssoUrl: URL, next: string | undefined, page: string): string {
  const place = new URL(`.${safeNext(next)}`, page);
  const url = new URL(ssoUrl);
  url.searchParams.set('relayState', place.pathname + place.search + place.hash);
  return url.href;
}
