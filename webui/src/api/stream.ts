// Answers that are lines of {"result": MESSAGE}: one message at a time, as it comes.
import { ApiError, send } from './client';

export async function* messages<T>(url: URL, signal: AbortSignal): AsyncGenerator<T> {
  const answer = await send(url, { signal });
  if (!(answer instanceof Response)) throw new ApiError(answer.status, answer.message);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + (value ?? '')).split('\n');
      rest = done ? '' : lines.pop() ?? '';
      for (const line of lines) {
        if (line.trim() === '') continue;
        const told = JSON.parse(line) as { result?: T; error?: { message?: string } };
        if (told.error) throw new ApiError(500, told.error.message ?? 'The stream broke.');
        if (told.result !== undefined) yield told.result;
      }
      if (done) return;
    }
  } finally {
    // Who stops before the end: what is not read would keep its connection, of which a browser has six.
    void reader.cancel().catch(() => {});
  }
}

// The first message of a stream that would go on; the stream is ended.
export async function firstMessage<T>(url: URL, signal?: AbortSignal): Promise<T | undefined> {
  const stop = new AbortController();
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  try {
    for await (const message of messages<T>(url, either)) return message;
  } finally {
    stop.abort();
  }
  return undefined;
}
