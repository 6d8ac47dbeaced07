import { expect, test } from 'vitest';
import { linesOf, nearest, spanOf } from './bundle';

const curves = [{ name: 'a', xs: [0, 10, 20], ys: [1, null, 3] }, { name: 'b', xs: [5, 20], ys: [-2, 9] }];

test('a logarithm has gaps where there is none', () => {
  expect(linesOf(curves, 0, true).map(({ ys }) => ys)).toEqual([[1, null, 3], [null, 9]]);
  expect(linesOf(curves, 0, false).map(({ ys }) => ys)).toEqual([[1, null, 3], [-2, 9]]);
});

test('the axes reach as far as the curves', () => {
  const [xs, lows, highs] = spanOf(linesOf(curves, 0, false));
  expect(xs.length).toBe(4);
  expect([xs[0], xs[3]]).toEqual([0, 20]);
  expect(xs[1]).toBeCloseTo(5, 1);
  expect(lows).toEqual([1, -2, null, 3]);
  expect(highs).toEqual([1, -2, null, 9]);
  expect(spanOf([])).toEqual([[], [], []]);
  expect(spanOf([{ name: 'one', xs: [7], ys: [4] }])).toEqual([[7], [4], [4]]);
  // A gap hides no number beside it.
  expect(spanOf([{ name: 'a', xs: [7], ys: [null] }, { name: 'b', xs: [7], ys: [4] }, { name: 'c', xs: [7], ys: [null] }])).toEqual([[7], [4], [4]]);
});

test('a curve is meant where its line passes near the pointer', () => {
  const lines = linesOf([{ name: 'a', xs: [0, 10, 20], ys: [0, 10, 0] }, { name: 'b', xs: [0, 20], ys: [4, 4] }, { name: 'c', xs: [12], ys: [8] }], 0, false);
  const at = (x: number, y: number, most = 2) => nearest(lines, x, (value) => Math.abs(value - y), most, 1);
  expect(at(3, 3)).toEqual({ line: 0, at: 0 });
  expect(at(7, 7)).toEqual({ line: 0, at: 1 });
  expect(at(15, 4)).toEqual({ line: 1, at: 1 });
  expect(at(12, 8)).toEqual({ line: 2, at: 0 });
  expect(at(10, 30)).toBeUndefined();
  expect(at(20.5, 4)).toEqual({ line: 1, at: 1 });
  expect(at(22, 4)).toBeUndefined();
  // Between a number and a gap it is at the number.
  const holey = linesOf([{ name: 'a', xs: [0, 10, 20, 30], ys: [1, null, null, 5] }], 0, false);
  const near = (x: number, y: number) => nearest(holey, x, (value) => Math.abs(value - y), 2, 1);
  expect([near(4, 1), near(26, 5), near(15, 3)]).toEqual([{ line: 0, at: 0 }, { line: 0, at: 3 }, undefined]);
});
