/** Long JSON that is read in slices is what JSON.parse reads, and each slice is small. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ListedJsonError, PIECE_BYTES, readListedJson } from '../src/shared/listed-json.ts';

const read = (text: string, maxTexts?: number) => readListedJson(Buffer.from(text), 'items', maxTexts);

test('an object with a list of texts is what JSON.parse makes of it, wherever it is cut', async () => {
  const space = fc.stringMatching(/^[ \n\t\r]{0,4}$/);
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '],', '{"items":[', '\\u005c'),
  );
  const filler = fc.integer({ min: 0, max: 80_000 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(text),
      filler,
      space,
      fc.jsonValue({ maxDepth: 2 }),
      async (texts, size, blanks, other) => {
        const items = [...texts, 'x'.repeat(size), ...texts, 'é\\"'.repeat(size / 8), ...texts];
        const list = `[${blanks}${items.map((item) => JSON.stringify(item)).join(`${blanks},${blanks}`)}${blanks}]`;
        const json = `\ufeff${blanks}{${blanks}"a":${JSON.stringify(other)},"items"${blanks}:${blanks}${list}${blanks},"b":"items"}`;
        const { fields, texts: found } = await read(json);
        assert.deepEqual({ ...(fields as object), items: found }, JSON.parse(json.slice(1)));
      },
    ),
    { numRuns: 60 },
  );
});

test('what JSON.parse refuses is refused, when it is long as well', async () => {
  const long = `${'"x",'.repeat(PIECE_BYTES / 2)}"x"`;
  const broken = [
    '',
    '{"items":[',
    `{"items":[${long}`,
    `{"items":[${long},]}`,
    `{"items":[,${long}]}`,
    `{"items":[${long},,${long}]}`,
    `{"items":[${long}}]`,
    `{"items" [${long}]}`,
    `{"items":[${long}],}`,
    `{"items":[${long}]}]`,
    `{"items":[${long}]`,
    `{"items":[${long}] "b":1}`,
    `{"items":["\u0001",${long}]}`,
    `{"items":["\\x",${long}]}`,
    `{"a":"items",[${long}]}`,
    `{"items":[${long}"x"]}`,
    '{"items":[\u00a0]}',
    '{"items":[\ufeff]}',
  ];
  for (const json of broken) {
    assert.throws(() => JSON.parse(json), SyntaxError);
    await assert.rejects(read(json), SyntaxError, json.slice(0, 20));
  }
  await assert.rejects(readListedJson(Buffer.from('{"items":["\xe9"]}', 'latin1'), 'items'), SyntaxError);
});

test('a list elsewhere, or of another name, is none; an empty one is one', async () => {
  for (const json of [
    '{}',
    '[]',
    '"items"',
    '{"a":{"items":["x"]}}',
    '{"item":["x"]}',
    '[["items",["x"]]]',
    '{"items":5}',
  ])
    assert.deepEqual(await read(json), { fields: JSON.parse(json), texts: [] });
  assert.deepEqual(await read('{"items":[ ]}'), { fields: { items: [] }, texts: [] });
});

test('other elements than texts, too many, long ones, two lists and other long fields are refused', async () => {
  const long = 'x'.repeat(300_000);
  const refused = [
    [`{"items":["x",{},"x"]}`, 'items.1 must be string'],
    [`{"items":[${'"x",'.repeat(50_000)}[]]}`, 'items.50000 must be string'],
    [`{"items":[${'{},'.repeat(2_000_000)}{}]}`, 'items.0 must be string'],
    [`{"items":[${'["items",['.repeat(100_000)}`, 'items.0 must be string'],
    [`{"items":["${long}"]}`, 'items must have no element as long as 262144 bytes'],
    [`{"items":["${long}`, 'items must have no element as long as 262144 bytes'],
    [`{"items":["x"],"items":["y"]}`, 'items must be there once'],
    [`{"items":["x"],"it\\u0065ms":["y"]}`, 'items must be there once'],
    [`{"items":["x"],"items":null}`, 'items must be there once'],
    [`{"items":["x"],"b":"${long}"}`, 'items must be nearly all of the body'],
    [`{"items":["x"]${' '.repeat(100_000)}`, 'items must be nearly all of the body'],
    [`{"b":[${'{},'.repeat(100_000)}{}]}`, 'items must be nearly all of the body'],
  ] as const;
  for (const [json, message] of refused) {
    await assert.rejects(
      read(json),
      (error) => error instanceof ListedJsonError && error.message === message,
      message,
    );
  }
  await assert.rejects(read('{"items":["x","y"]}', 1), /must NOT have more than 1 items/);
});

test('between two slices others have a turn', async () => {
  let turns = 0;
  let isRead = false;
  const count = () => {
    turns += 1;
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  const { texts } = await read(`{"items":[${'"xxxxx",'.repeat(999_999)}"y"]}`);
  isRead = true;
  assert.equal(texts.length, 1_000_000);
  assert.ok(turns > 8_000_000 / PIECE_BYTES - 2, `${turns} turns`);
});
