// Numbers and times as people read them. What the first page shows is written without Intl, whose first use takes a tab some 30 ms of a
// processor, whichever part of it is used; the rest of it is made when it is first needed.
import { once } from './once';

const kUnits = [['year', 31_536_000, 'last year', 'next year'], ['month', 2_592_000, 'last month', 'next month'], ['day', 86_400, 'yesterday', 'tomorrow'], ['hour', 3600], ['minute', 60]] as const;

export function ago(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  for (const [unit, size, last, next] of kUnits) {
    if (Math.abs(seconds) < size) continue;
    const count = Math.round(seconds / size);
    if (last !== undefined && Math.abs(count) === 1) return count < 0 ? last : next;
    const words = `${grouped(Math.abs(count))} ${unit}${Math.abs(count) === 1 ? '' : 's'}`;
    return count < 0 ? `${words} ago` : `in ${words}`;
  }
  return 'just now';
}

// A whole number: 1,234,567.
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

const clockFormat = once(() => new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }));

// The time of day where the reader is, as all times of the page are.
export function clock(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '' : clockFormat().format(at);
}

const dayFormat = once(() => new Intl.DateTimeFormat('en', { dateStyle: 'medium' }));
// The day where the reader is, unless it is today; empty also for what is no time.
export function earlierDay(time: string, now = Date.now()): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return '';
  const day = dayFormat().format(at);
  return day === dayFormat().format(now) ? '' : day;
}

const wholeFormat = once(() => new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }));
// The day and the time of day where the reader is, then as the server says it, to its last digit.
export function whole(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : `${wholeFormat().format(at)} (${time})`;
}

// 3 s, 4 min 5 s, 2 h 3 min, 1 d 4 h.
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
}

export function bytes(count: number | string): string {
  let value = Number(count);
  for (const unit of ['B', 'KiB', 'MiB', 'GiB', 'TiB']) {
    if (value < 1024 || unit === 'TiB') return `${value < 10 && unit !== 'B' ? value.toFixed(1) : Math.round(value)} ${unit}`;
    value /= 1024;
  }
  return '';
}

// A metric or a hyperparameter: whole numbers as they are, others with four significant digits or all before the point. The server writes what JSON has no number for as text.
export function metric(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return '–';
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return String(value);
  if (size >= 1e4 && size < 1e6) return String(Math.round(value));
  return size < 1e-4 || size >= 1e6 ? value.toExponential(3) : String(Number(value.toPrecision(4)));
}

const compact = once(() => new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 }));
// A number on an axis, where there is little room.
export function tick(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e5) return compact().format(value);
  return size !== 0 && size < 1e-3 ? Number(value.toPrecision(3)).toExponential() : String(Number(value.toPrecision(5)));
}
