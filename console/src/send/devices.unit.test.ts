import { expect, test } from 'vitest';
import { devicesOfFile, devicesOfLines } from './devices';

test('pasted lines are tidied, and it is said what was', () => {
  expect(devicesOfLines(' a \n\nb,c,\r\na\nb')).toEqual({ ids: ['a', 'b', 'c'], repeated: 2, split: 1, header: null });
  expect(devicesOfLines(' \n,')).toEqual({ ids: [], repeated: 0, split: 0, header: null });
  // A comma at the end names nothing more.
  expect(devicesOfLines('a,\nb').split).toBe(0);
});

test('a JSON array is taken as it is, with commas in ids', () => {
  expect(devicesOfFile('\uFEFF["a,1", "b", "a,1"]')).toEqual({
    ids: ['a,1', 'b'],
    repeated: 1,
    split: 0,
    header: null,
  });
});

test.each(['[1]', '["a"', '[["a"]]', '["a", null]'])('%s is no file of devices', (text) => {
  expect(devicesOfFile(text)).toBeNull();
});

test.each([
  ['lines', 'a\nb\r\nc', ['a', 'b', 'c']],
  ['commas', 'a,1\nb,2\n', ['a', 'b']],
  ['semicolons and tabs', 'a;1\nb\t2', ['a', 'b']],
  ['quotes', '"a,1",x\n"b ""2""",y\nc,"two\nlines"\nd', ['a,1', 'b "2"', 'c', 'd']],
  ['empty lines and cells', '\n,x\na,\n', ['a']],
  ['an open quote', '"a\nb', ['"a', 'b']],
  ['text after a quote', '"a"b,c\nd', ['a', 'd']],
  ['nothing', '', []],
])('the first column of CSV is read: %s', (_, text, ids) => {
  expect(devicesOfFile(text)?.ids).toEqual(ids);
});

test.each(['device_id', 'Device ID', '"deviceId"', 'device'])('the title %s is left out', (title) => {
  expect(devicesOfFile(`${title},name\na,b`)).toMatchObject({ ids: ['a'], header: title.replaceAll('"', '') });
});
