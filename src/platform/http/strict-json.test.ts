import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from '../../../tests/harness/property.ts'
import { sha256 } from '../digest.ts'
import { canonicalJson, isCleanText, parseStrictJson } from './strict-json.ts'

function parse(text: string) {
  return parseStrictJson(Buffer.from(text))
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

describe('a body is refused', () => {
  const cases: Record<string, string | Buffer> = {
    'when it is empty': '',
    'when it is not JSON': '{"amount":}',
    'when something follows it': '{} {}',
    'when it holds a comment': '{} // yes',
    'when it begins with a byte order mark': '\ufeff{}',
    'when it is UTF-16': Buffer.from('{"a":1}', 'utf16le'),
    'when it is UTF-16 with a byte order mark': Buffer.from('\ufeff{"a":1}', 'utf16le'),
    'when a byte is not UTF-8': Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    'when a character is written in too many bytes': Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xc0, 0x80]),
      Buffer.from('"}'),
    ]),
    'when a surrogate is written in UTF-8': Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ]),
    'when a key is there twice': '{"amount":1,"amount":2}',
    'when a key is there twice with the same value': '{"amount":1,"amount":1}',
    'when a key is there twice, once escaped': '{"amount":1,"\\u0061mount":2}',
    'when a key is there twice in an object inside': '{"metadata":[{"a":{"b":1,"b":2}}]}',
    'when __proto__ is there twice': '{"__proto__":1,"__proto__":2}',
    'when it has eleven levels': nested(11),
    'when it has a hundred thousand levels': nested(100_000),
    'when a text holds NUL': '{"a":"\\u0000"}',
    'when a text holds a raw control character': '{"a":"\u0001"}',
    'when a text holds a line feed': '{"a":"one\\ntwo"}',
    'when a text holds an escape character': '{"a":"\\u001b[31m"}',
    'when a text holds a raw delete': '{"a":"\u007f"}',
    'when a text holds an escaped delete': '{"a":"\\u007f"}',
    'when a text holds a raw control character of the second set': '{"a":"\u0085"}',
    'when a text holds an escaped control character of the second set': '{"a":"\\u009b31m"}',
    'when a key holds a control character of the second set': '{"a\u0080":1}',
    'when a number begins with a zero': '{"a":[01]}',
    'when a number ends in a point': '{"a":1.}',
    'when a number ends in its exponent': '{"a":1e+}',
    'when a minus stands alone': '{"a":-}',
    'when an escape does not exist': '{"a":"\\x41"}',
    'when an escape has three digits': '{"a":"\\u041"}',
    'when a comma follows the last field': '{"a":1,}',
    'when a comma follows the last item': '{"a":[1,]}',
    'when its lists have more than 16 384 items': `{"a":[${Array(16_385).fill('-0').join()}]}`,
    'when it has more than 16 384 fields': `{"a":[${Array(16_384).fill('{"a":1}').join()}]}`,
    'when a key holds NUL': '{"a\\u0000":1}',
    'when a key holds a delete': '{"a\u007f":1}',
    'when a text holds a high surrogate alone': '{"a":"\\ud83d"}',
    'when a text holds a low surrogate alone': '{"a":["\\ude00\\ud83d"]}',
    'when a key holds a lone surrogate': '{"\\ud83d":1}',
  }
  for (const [name, body] of Object.entries(cases)) {
    test(name, () => assert.equal(parseStrictJson(Buffer.from(body as string)).kind, 'refused'))
  }
})

describe('a body is read', () => {
  const cases: Record<string, [text: string, value: unknown]> = {
    'with ten levels': [nested(10), [[[[[[[[[[]]]]]]]]]]],
    'with the same key in two objects': ['[{"a":1},{"a":{"a":2}}]', [{ a: 1 }, { a: { a: 2 } }]],
    'with a key inside a text': ['{"a":"\\"a\\":1,{[","b":"\\\\"}', { a: '"a":1,{[', b: '\\' }],
    'with the largest exact numbers': ['[9007199254740991,-9007199254740991]', [2 ** 53 - 1, -(2 ** 53 - 1)]],
    'with a negative number': ['{"amount":-1}', { amount: -1 }],
    'with nothing, yes and no': ['[null,true,false,0]', [null, true, false, 0]],
    'with every writing of a character': ['["é","\\u00e9","😀","\\ud83d\\ude00","\\/"]', ['é', 'é', '😀', '😀', '/']],
    'with spaces between': [' {\r\n\t"a" : 1 } ', { a: 1 }],
    'with keys that sort as numbers': ['{"2":1,"1":2,"":3}', { 1: 2, 2: 1, '': 3 }],
  }
  for (const [name, [text, value]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(parse(text), { kind: 'parsed', value, judged: value }))
  }

  test('with __proto__ as a key like another', () => {
    const body = parse('{"__proto__":{"amount":1}}')
    assert.ok(body.kind === 'parsed')
    assert.deepEqual(Object.keys(body.value as object), ['__proto__'])
    assert.equal((body.value as { amount?: unknown }).amount, undefined)
  })
})

describe('only plain digits of an exact integer are an integer, and any other number is kept as written', () => {
  const tokens = ['100.0', '1e2', '1E2', '-0', '0.5', '-0.0', '1e-2', '1E400', '9007199254740992', '9007199254740993']
  for (const token of [...tokens, '-9007199254740992', `${10n ** 30n}`]) {
    test(token, () => {
      const body = parse(`{"amount":${token},"metadata":{"list":[1,${token}]}}`)
      assert.ok(body.kind === 'parsed')
      assert.deepEqual(body.judged, { amount: Number.NaN, metadata: { list: [1, Number.NaN] } })
      assert.equal(JSON.stringify(body.value), `{"amount":${token},"metadata":{"list":[1,${token}]}}`)
      assert.equal(canonicalJson(body.value), `{"amount":${token},"metadata":{"list":[1,${token}]}}`)
    })
  }

  test('a number alone', () => {
    const body = parse('1.5')
    assert.ok(body.kind === 'parsed')
    assert.equal(canonicalJson(body.value), '1.5')
  })
})

describe('line breaks and tabs', () => {
  const read = (text: string) => parseStrictJson(Buffer.from(text), new Set(['note', 'more']))
  test('are text in the values of the fields that may hold them, however deep', () => {
    const body = read('{"note":"one\\r\\n\\ttwo","more":{"list":["a\\nb",{"c":"\\u000a"}]}}')
    assert.ok(body.kind === 'parsed')
    assert.deepEqual(body.value, { note: 'one\r\n\ttwo', more: { list: ['a\nb', { c: '\n' }] } })
  })

  const refused: Record<string, string> = {
    'in another field': '{"note":"a\\nb","other":"a\\nb"}',
    'in a field inside that only has the name': '{"other":{"note":"a\\nb"}}',
    'in a key': '{"more":{"a\\nb":1}}',
    'that are not escaped': '{"note":"a\nb"}',
  }
  for (const [name, text] of Object.entries(refused)) {
    test(`are refused ${name}`, () => assert.equal(read(text).kind, 'refused'))
  }
  for (const other of ['\\u0000', '\\b', '\\f', '\\u001b', '\\u007f', '\\u0085']) {
    test(`do not let ${other} pass`, () => assert.equal(read(`{"note":"a${other}b"}`).kind, 'refused'))
  }
})

describe('a refusal says what is wrong and where', () => {
  const cases: [text: string, problem: string][] = [
    ['', 'The body is empty. Send a JSON object.'],
    ['{"amount":', 'The body ends early (line 1, character 11).'],
    [
      '{\n  "amount": 100,\n}',
      'The body is not JSON: the name of a field, in double quotes, is expected (line 3, character 1).',
    ],
    ["{'amount':1}", 'The body is not JSON: the name of a field, in double quotes, is expected (line 1, character 2).'],
    ['{"amount" 100}', 'The body is not JSON: a colon is expected (line 1, character 11).'],
    ['{"amount":100 "currency":"XOF"}', 'The body is not JSON: a comma or } is expected (line 1, character 15).'],
    ['{"a":[1 2]}', 'The body is not JSON: a comma or ] is expected (line 1, character 9).'],
    ['{"amount":NaN}', 'The body is not JSON: a value is expected (line 1, character 11).'],
    ['{"amount":-}', 'The body is not JSON: a digit is expected (line 1, character 12).'],
    ['{"a":"\\x"}', 'The body is not JSON: this escape does not exist (line 1, character 7).'],
    ['{"a":"\\u12"}', 'The body is not JSON: \\u needs four hexadecimal digits (line 1, character 7).'],
    ['{"a":"b', 'The body ends early, inside a text (line 1, character 8).'],
    ['{}{}', 'Nothing may follow the body, but something does (line 1, character 3).'],
    ['{"amount":1,"amount":2}', 'The field amount is there twice in one object (line 1, character 13).'],
    ['{"0701020304":1,"0701020304":2}', 'A field is there twice in one object (line 1, character 17).'],
    ['{"a":"\\u0007"}', 'A text holds a control character (U+0007); take it out (line 1, character 7).'],
    ['{"a":"b\\nc"}', 'A line break or tab (U+000A) is not allowed in this text; take it out (line 1, character 8).'],
    ['{"a":"\\ud800"}', 'A text holds half of a surrogate pair (line 1, character 7).'],
    [nested(11), 'The body has more than 10 levels (line 1, character 11).'],
  ]
  for (const [text, problem] of cases) {
    test(problem, () => assert.deepEqual(parse(text), { kind: 'refused', problem }))
  }

  test('of bytes that are no text', () => {
    const problem = 'The body is not valid UTF-8.'
    assert.deepEqual(parseStrictJson(Uint8Array.of(0x22, 0xff, 0x22)), { kind: 'refused', problem })
  })

  test('of a compressed body, and of one that begins with a byte order mark', () => {
    const zipped = parseStrictJson(gzipSync('{"amount":100}'))
    assert.deepEqual(zipped, { kind: 'refused', problem: 'The body is compressed. Send it as it is, in UTF-8.' })
    const problem = 'The body begins with a byte order mark (U+FEFF). Send UTF-8 without it.'
    assert.deepEqual(parse('\ufeff{"amount":100}'), { kind: 'refused', problem })
  })
})

const LENGTH = 256 * 1024

/** A list of so many bytes of the same item. */
function listOf(item: string): string {
  return `{"a":[${Array(Math.floor(LENGTH / (item.length + 1)))
    .fill(item)
    .join()}]}`
}

/** Microseconds that this thread computes, whoever else has the machine. */
function cost(work: () => void): number {
  const before = process.threadCpuUsage()
  for (let time = 0; time < 4; time += 1) work()
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}

describe('a body is read, and its fingerprint taken, in at most twenty times what JSON needs for as long a list of numbers', () => {
  const usual = listOf('1')
  const worst: Record<string, string> = {
    'of -0': listOf('-0'),
    'of small numbers': usual,
    'of decimals': listOf('0.5'),
    'of numbers that are too large': listOf('9007199254740993'),
    'that is one number': `{"a":${'9'.repeat(LENGTH)}}`,
    'of empty lists': listOf('[]'),
    'of empty objects': listOf('{}'),
    'of deep lists': listOf('[[[[[[[]]]]]]]'),
    'of objects': listOf('{"a":1}'),
    'of empty texts': listOf('""'),
    'of texts with an escape': listOf('"\\u0041"'),
    'that is one text': `{"a":"${'x'.repeat(LENGTH)}"}`,
    'that is one text of escapes': `{"a":"${'\\u00e9'.repeat(LENGTH / 6)}"}`,
    'of keys': `{${Array.from({ length: 22_000 }, (_, at) => `"k${(at * 7_919) % 1_000_003}":-0`).join()}}`,
    'of keys that are numbers': `{${Array.from({ length: 22_000 }, (_, at) => `"${(at * 7_919) % 1_000_003}":1`).join()}}`,
    'that breaks at its end': `${listOf('-0')},`,
    'of spaces': `{"a":1${' '.repeat(LENGTH)}}`,
  }
  for (const [name, text] of Object.entries(worst)) {
    test(name, () => {
      const bytes = Buffer.from(text)
      const work = () => {
        const body = parseStrictJson(bytes)
        if (body.kind === 'parsed') sha256(canonicalJson(body.value))
      }
      const ratios: number[] = []
      // A collection of garbage in the middle of it may count for one of the two.
      do ratios.push(cost(work) / cost(() => JSON.stringify(JSON.parse(usual))))
      while (ratios.at(-1)! > 20 && ratios.length < 4)
      assert.ok(ratios.at(-1)! <= 20, `times as long: ${ratios.map(Math.round).join(', ')}`)
    })
  }
})

describe('the canonical text', () => {
  test('sorts keys at every level and drops the spaces', () => {
    const body = parse('{ "b": [ {"d":1, "c":2} ], "a": "x" }')
    assert.ok(body.kind === 'parsed')
    assert.equal(canonicalJson(body.value), '{"a":"x","b":[{"c":2,"d":1}]}')
  })

  test('tells apart a number, a text and another writing of the number', () => {
    const texts = ['{"a":1}', '{"a":"1"}', '{"a":1.0}', '{"a":true}', '{"a":null}', '{}', '{"a":[1]}'].map((text) => {
      const body = parse(text)
      assert.ok(body.kind === 'parsed')
      return canonicalJson(body.value)
    })
    assert.equal(new Set(texts).size, texts.length)
  })
})

// Any JSON of at most nine levels, with exact integers and clean texts.
const cleanText = fc.string({ unit: 'binary' }).filter(isCleanText)
const cleanJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 8, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.maxSafeInteger().map((number) => number + 0),
    cleanText,
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(cleanText, tie('value')), { maxLength: 4, selector: ([key]) => key })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value

describe('for any body', () => {
  test('a clean body is read as it was written', () => {
    fc.assert(
      fc.property(cleanJson, fc.nat(2), (value, spaces) => {
        assert.deepEqual(parse(JSON.stringify(value, null, spaces)), { kind: 'parsed', value, judged: value })
      }),
    )
  })

  test('the order of its keys does not change the canonical text, and the canonical text says the same', () => {
    fc.assert(
      fc.property(cleanJson, (value) => {
        const canonical = canonicalJson(value)
        assert.equal(canonicalJson(reverseKeys(value)), canonical)
        assert.deepEqual(JSON.parse(canonical), value)
      }),
    )
  })

  test('a key written twice is refused', () => {
    fc.assert(
      fc.property(cleanText, cleanJson, cleanJson, (key, first, second) => {
        const [name, one, two] = [key, first, second].map((part) => JSON.stringify(part))
        assert.equal(parse(`{"a":[{${name}:${one},${name}:${two}}]}`).kind, 'refused')
      }),
    )
  })

  test('a text that is not clean is refused, as a value and as a key', () => {
    const dirty = fc
      .tuple(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('\0', '\n', '\u001f', '\u007f', '\u0080', '\u009f', '\ud800', '\udfff'),
        cleanText,
      )
      .map((parts) => parts.join(''))
      .filter((text) => !isCleanText(text))
    fc.assert(
      fc.property(dirty, (text) => {
        assert.equal(parse(JSON.stringify({ a: [text] })).kind, 'refused')
        assert.equal(parse(JSON.stringify({ a: { [text]: 1 } })).kind, 'refused')
      }),
    )
  })

  test('a body is refused if JSON.parse refuses it, and each body that is read can be read by JSON.parse', () => {
    const letters = fc.array(fc.constantFrom(...'{}[]":,\\"0123eE.+-truefalsnu/b \n'), { maxLength: 12 })
    const damaged = fc.tuple(cleanJson, fc.nat(200), letters).map(([value, at, more]) => {
      const text = JSON.stringify(value)
      return text.slice(0, at % (text.length + 1)) + more.join('') + text.slice((at % (text.length + 1)) + (at % 3))
    })
    fc.assert(
      fc.property(damaged, (text) => {
        const bytes = Buffer.from(text)
        const body = parseStrictJson(bytes)
        if (body.kind === 'parsed') assert.deepEqual(JSON.parse(JSON.stringify(body.value)), JSON.parse(String(bytes)))
      }),
      { numRuns: 5_000 },
    )
  })

  test('any bytes are read or refused, and never throw', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => void parseStrictJson(bytes)))
    const jsonLike = fc.array(fc.constantFrom(...'{}[]":,\\"0123eE.+-truefalsnu '), { maxLength: 30 })
    fc.assert(
      fc.property(jsonLike, (letters) => void parse(letters.join(''))),
      { numRuns: 2000 },
    )
  })
})

function reverseKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reverseKeys)
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reverseKeys(item)]),
  )
}
