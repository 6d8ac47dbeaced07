// What the page asks of the server: typed by the server's own description, errors as values.
import type { components, paths } from './schema';

export type Schemas = components['schemas'];
export type Failed = { ok: false; status: number; message: string };
export type Result<T> = { ok: true; value: T } | Failed;

// Thrown where TanStack Query wants a throw. status 0: no answer came.
export class ApiError extends Error {
  constructor(readonly status: number, message: string) { super(message); }
}

// It would be refused again; what broke may be well the next time, and what was one of too many may have a place.
export const wasRefused = (error: Error): boolean => error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
// The server has it no more, or not for this person.
export const isGone = (error: Error | null): boolean => error instanceof ApiError && (error.status === 403 || error.status === 404);

type Method = 'get' | 'post' | 'patch' | 'delete' | 'put';
type PathsWith<M extends Method> = { [P in keyof paths]: paths[P] extends { [K in M]: { responses: unknown } } ? P : never }[keyof paths];
type Operation<M extends Method, P extends keyof paths> = paths[P] extends { [K in M]: infer O } ? O : never;
type Answer<O> = O extends { responses: { 200: { content: infer C } } } ? C[keyof C] : unknown;
type Query<O> = O extends { parameters: { query?: infer Q } } ? Q : never;
type Body<O> = O extends { requestBody?: { content: { 'application/json': infer B } } } ? B
  : O extends { requestBody: { content: { 'application/json': infer B } } } ? B : never;
export type Options<O> = { path?: Record<string, string | number>; query?: Query<O>; body?: Body<O>; signal?: AbortSignal };

// The server's root, also where it is below a path: the page is in its folder ui/.
export const serverRoot = () => new URL('../', document.baseURI);

export function address(path: string, parts: Record<string, string | number> = {}, query: object = {}): URL {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const part = String(parts[name]);
    // Browsers take such a part for a step up, whatever it is written as: the label ".." would be the experiment itself.
    if (/^\.{1,2}$/.test(part)) throw new Error('A name of dots alone cannot be addressed.');
    return encodeURIComponent(part);
  });
  const url = new URL(filled.replace(/^\//, ''), serverRoot());
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) url.searchParams.append(name, String(one));
    }
  }
  return url;
}

let onSignedOut: () => void = () => {};
// `handler` is called when the server no longer knows the session.
export function whenSignedOut(handler: () => void): void { onSignedOut = handler; }
export function signedOut(): void { onSignedOut(); }

// The server's own words, from either form of its errors.
export function errorText(status: number, text: string): string {
  try {
    const told = JSON.parse(text) as { error?: { error?: string } | string; message?: string };
    const message = typeof told.error === 'string' ? told.error : told.error?.error ?? told.message;
    if (message) return message;
  } catch { /* no JSON: a proxy's page */ }
  return status === 0 ? 'The server cannot be reached.' : `The server answered with status ${status}.`;
}

// A body that breaks off, or that a proxy wrote, is a failure like any other.
async function read<T>(body: Promise<T>, signal: AbortSignal | null | undefined): Promise<Result<T>> {
  try {
    return { ok: true, value: await body };
  } catch (error) {
    if (signal?.aborted) throw error;
    return { ok: false, status: 0, message: 'What came is no answer of the server, or not all of it.' };
  }
}

// The answer as it comes. A session that ended leads to the sign-in page, except where `isSignIn`.
export async function send(url: URL, init: RequestInit, isSignIn = false): Promise<Response | Failed> {
  let answer: Response;
  try {
    answer = await fetch(url, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    return { ok: false, status: 0, message: errorText(0, '') };
  }
  if (answer.ok) return answer;
  if (answer.status === 401 && !isSignIn) onSignedOut();
  const told = await read(answer.text(), init.signal);
  return { ok: false, status: answer.status, message: errorText(answer.status, told.ok ? told.value : '') };
}

export async function call<M extends Method, P extends PathsWith<M>>(
  method: M, path: P, options: Options<Operation<M, P>> = {},
): Promise<Result<Answer<Operation<M, P>>>> {
  const answer = await send(address(path, options.path, options.query ?? {}), {
    method: method.toUpperCase(),
    ...(options.signal && { signal: options.signal }),
    ...(options.body !== undefined && { body: JSON.stringify(options.body), headers: { 'Content-Type': 'application/json' } }),
  }, path === '/api/v1/auth/login');
  if (!(answer instanceof Response)) return answer;
  return read(answer.json() as Promise<Answer<Operation<M, P>>>, options.signal);
}

// The same for TanStack Query: what is wrong is thrown.
export async function ask<M extends Method, P extends PathsWith<M>>(
  method: M, path: P, options: Options<Operation<M, P>> = {},
): Promise<Answer<Operation<M, P>>> {
  const result = await call(method, path, options);
  if (!result.ok) throw new ApiError(result.status, result.message);
  return result.value;
}
