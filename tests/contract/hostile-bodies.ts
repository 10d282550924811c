import fc from 'fast-check'

/** A body as bytes, and what it came from, to be shown when it does harm. */
export type HostileBody = { text: string; bytes: Uint8Array }

const fields = [
  'amount',
  'currency',
  'operator',
  'counterparty',
  'merchant_reference',
  'description',
  'metadata',
  'simulate',
]

/** What JavaScript, JSON, SQL and logs have stumbled over. */
const strangeKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  'then',
  'length',
  '',
  ' amount',
  'Amount',
  'amount\\u0000',
  '\\u0061mount',
  '$where',
  'merchant_id',
  'a'.repeat(2_000),
]

const strangeValues = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.5',
  '100.0',
  '1e2',
  '1E400',
  '-1e-400',
  '9007199254740993',
  '9223372036854775808',
  `1${'0'.repeat(500)}`,
  '""',
  '" "',
  '"100"',
  '"\u2028\u2029\ufeff\u202e"',
  '"\uffff\ufffe"',
  `"${'😀'.repeat(300)}"`,
  `"${'a\u0301'.repeat(600)}"`,
  `"${'x'.repeat(20_000)}"`,
  `"'; drop table payments; --"`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what careless templates look for.
  '"${jndi:ldap://x}{{7*7}}%s%n"',
  '[]',
  '{}',
  '{"msisdn":"0700000000"}',
  '{"msisdn":["0700000000"]}',
  '{"msisdn":null}',
  '{"__proto__":{"msisdn":"0700000000"}}',
  `{"msisdn":"${'0'.repeat(5_000)}"}`,
  `[${'1,'.repeat(10_000)}1]`,
  `{${Array.from({ length: 2_000 }, (_, at) => `"k${at}":${at}`).join()}}`,
]

/** What no reader of JSON may let pass, or we do not. */
const unreadableValues = [
  '0100',
  '+1',
  '.5',
  '0x10',
  'NaN',
  'Infinity',
  'undefined',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u001b[2J"',
  '"\\r\\nSet-Cookie: a=b"',
  '"\u007f"',
  '"\\x41"',
  "'single'",
  '[[[[[[[[[[[[]]]]]]]]]]]]',
  `${'['.repeat(50_000)}`,
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  '{"msisdn":"0700000000","msisdn":"0500000000"}',
]

const goodValues: Record<string, string> = {
  amount: '100',
  currency: '"XOF"',
  operator: '"orange_ci"',
  counterparty: '{"msisdn":"0700000000"}',
  description: '"Two loincloths"',
  metadata: '{"order":7}',
  simulate: '"succeed"',
}

const key = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...fields) },
  fc.constantFrom(...strangeKeys),
  fc.string(),
)
const value = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...strangeValues) },
  fc.constantFrom(...unreadableValues),
  { weight: 2, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 4_000_000 }).map(String) },
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.double().map(String),
  fc.bigInt().map(String),
)

/** Mostly a good body with a few members that are not: only what passes the first checks reaches the later ones. */
const members = fc
  .record({
    good: fc.subarray(Object.keys(goodValues).filter((name) => name !== 'amount')),
    amount: fc.integer({ min: 0, max: 9 }),
    strange: fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 3 }),
  })
  .map(({ good, amount, strange }) => {
    const replaced = new Set(strange.map(([name]) => name))
    const kept = [...(amount > 0 ? ['amount'] : []), ...good].filter((name) => !replaced.has(name))
    const pairs = [...kept.map((name): [string, string] => [name, goodValues[name]!]), ...strange]
    return `{${pairs.map(([name, written]) => `${quote(name)}:${written}`).join()}}`
  })

/** Keys from the list above may hold escapes on purpose; others are quoted properly. */
function quote(name: string): string {
  return strangeKeys.includes(name) ? `"${name}"` : JSON.stringify(name)
}

type Damage = (text: string, at: number) => string
const damages: Damage[] = [
  (text, at) => text.slice(0, at),
  (text, at) => text.slice(at),
  (text, at) => `${text.slice(0, at)}\u0000${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}"${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}\\${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)},${text.slice(at)}`,
  (text) => `\ufeff${text}`,
  (text) => `${text}${text}`,
  (text) => `[${text}]`,
  (text) => JSON.stringify(text),
  (text) => `${text}//`,
  (text) => text.replaceAll(':', '='),
]

const damage = fc.oneof({ weight: 5, arbitrary: fc.constant<Damage>((text) => text) }, fc.constantFrom(...damages))
const damaged = fc
  .record({ text: members, damage, at: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ text, damage, at }) => damage(text, Math.floor(at * text.length)))

/** Of the right types throughout, and as strange as that allows: these go all the way to the database. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('%s', "';--", '\\x00'),
)
const wellTyped = fc
  .record(
    {
      amount: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 0, max: 4_000_000 })),
      currency: fc.constantFrom('XOF', 'xof', 'xoF', 'EUR'),
      operator: fc.oneof({ weight: 9, arbitrary: fc.constantFrom('orange_ci', 'wave_ci') }, text),
      counterparty: fc.record({
        msisdn: fc.oneof(fc.stringMatching(/^[+ 0-9.()-]{1,20}$/), fc.stringMatching(/^0[157][0-9]{8}$/)),
      }),
      merchant_reference: text,
      description: text,
      metadata: fc.dictionary(text, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 }),
      unknown: fc.jsonValue({ maxDepth: 3 }),
    },
    { requiredKeys: ['amount'] },
  )
  .map((body) => JSON.stringify(body))

type Encoding = 'utf8' | 'utf16le' | 'latin1'
export const hostileBodies: fc.Arbitrary<HostileBody> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .tuple(
        damaged,
        fc.oneof(
          { weight: 20, arbitrary: fc.constant<Encoding>('utf8') },
          fc.constantFrom<Encoding>('utf16le', 'latin1'),
        ),
      )
      .map(([text, encoding]) => ({ text, bytes: Buffer.from(text, encoding) })),
  },
  { weight: 12, arbitrary: wellTyped.map((body) => ({ text: body, bytes: Buffer.from(body) })) },
  fc.uint8Array({ maxLength: 300 }).map((bytes) => ({ text: '(bytes)', bytes })),
  fc.json({ maxDepth: 4 }).map((text) => ({ text, bytes: Buffer.from(text) })),
)
