import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGuard } from './guard.ts'
import { createResolve, rememberAnswers } from './resolve.ts'

/** Names of a made-up internet. */
const names: Record<string, readonly string[]> = {
  'shop.example': ['8.8.8.8', '2606:4700:4700::1111'],
  'inside.example': ['10.0.0.7'],
  'metadata.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'mixed.example': ['8.8.8.8', '127.0.0.1'],
  'mixed6.example': ['8.8.8.8', 'fd00:ec2::254'],
  'office.example': ['192.168.7.9'],
  'half-office.example': ['192.168.7.9', '8.8.8.8'],
  'xn--bcher-kva.example': ['8.8.4.4'],
}
const resolve = async (name: string) => names[name] ?? Promise.reject(new Error('no such name'))
const guard = createGuard({ allow: [], own_hosts: ['pay.example'], resolve })
const office = createGuard({ allow: ['192.168.7.0/24', '127.0.0.0/8'], resolve })

test('a public https address is vetted, with every address of its name', async () => {
  const target = await guard('https://shop.example/hooks?a=1', true)
  assert.equal(target.kind, 'vetted')
  assert.deepEqual(target.kind === 'vetted' && [...target.addresses], ['8.8.8.8', '2606:4700:4700::1111'])
  for (const url of [
    'https://shop.example:443/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://BÜCHER.example/',
  ]) {
    assert.equal((await guard(url, true)).kind, 'vetted', url)
  }
})

/** Every way we know of writing an address that leads somewhere else than it seems. */
const refusedForms = [
  // Loopback in every notation a browser takes.
  'https://127.0.0.1/',
  'https://127.1/',
  'https://127.0.1/',
  'https://0/',
  'https://0.0.0.0/',
  'https://2130706433/',
  'https://017700000001/',
  'https://0177.0.0.1/',
  'https://0x7f000001/',
  'https://0x7f.0x0.0x0.0x1/',
  'https://0x7f.1/',
  'https://１２７.０.０.１/',
  'https://①②⑦.⓪.⓪.①/',
  'https://127。0。0。1/',
  'https://%31%32%37.0.0.1/',
  'https://127.0.0.1./',
  'https:127.0.0.1/',
  'https:///127.0.0.1/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[0:0:0:0:0:ffff:7f00:0001]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[64:ff9b:1::1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001::7f00:1]/',
  'https://[fe80::1]/',
  'https://[fe80::1%25eth0]/',
  'https://[fc00::1]/',
  'https://[fd00:ec2::254]/',
  'https://[ff02::1]/',
  'https://[2001:db8::1]/',
  // Inside networks and clouds.
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://0xa9fea9fe/',
  'https://2852039166/',
  'https://100.64.0.1/',
  'https://100.100.100.200/',
  'https://168.63.129.16/',
  'https://192.0.0.192/',
  'https://198.18.0.1/',
  'https://192.0.2.1/',
  'https://224.0.0.1/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  // Names.
  'https://localhost/',
  'https://localhost./',
  'https://a.localhost/',
  'https://inside.example/',
  'https://metadata.example/',
  'https://mapped.example/',
  'https://mixed.example/',
  'https://mixed6.example/',
  'https://shop.example./',
  'https://nowhere.example/',
  'https://pay.example/',
  'https://PAY.example/',
  // Ports.
  'https://shop.example:80/',
  'https://shop.example:22/',
  'https://shop.example:25/',
  'https://shop.example:5432/',
  'https://shop.example:6379/',
  'https://shop.example:8443/',
  'https://8.8.8.8:444/',
  // Protocols.
  'http://shop.example/',
  'http://shop.example:443/',
  'http://127.0.0.1/',
  'ftp://shop.example/',
  'file:///etc/passwd',
  'gopher://shop.example/',
  'javascript:alert(1)',
  'data:text/plain,hello',
  'ws://shop.example/',
  'unix:/var/run/docker.sock',
  // Written to be misread.
  'https://user@shop.example/',
  'https://user:secret@shop.example/',
  'https://shop.example@127.0.0.1/',
  'https://127.0.0.1\\@shop.example/',
  'https://shop.example\\@127.0.0.1/',
  'https:\\\\127.0.0.1/',
  'https://shop.example\n@127.0.0.1/',
  'https://shop.exa\tmple/',
  ' https://shop.example/',
  'https://shop.example/ ',
  'https://shop.example/\u0000',
  'https://256.1.1.1/',
  'https://1.2.3.4.5/',
  'https://[v1.a]/',
  'https://[::1',
  'https://',
  'https:',
  '//shop.example/',
  'shop.example',
  '/hooks',
  '',
  `https://shop.example/${'a'.repeat(2_048)}`,
]

test('every other form of an address is refused, in both modes', async () => {
  assert.ok(refusedForms.length >= 80, `${refusedForms.length} forms`)
  for (const livemode of [true, false]) {
    for (const form of refusedForms) {
      const target = await guard(form, livemode)
      assert.equal(target.kind, 'refused', `${JSON.stringify(form.slice(0, 80))} livemode=${livemode}`)
    }
  }
})

test('an allowed block is reached on any port, and over plain http in test mode only', async () => {
  const table: [url: string, test: string, live: string][] = [
    ['http://192.168.7.9:4000/hooks', 'vetted', 'refused'],
    ['http://office.example/hooks', 'vetted', 'refused'],
    ['https://office.example:8443/hooks', 'vetted', 'vetted'],
    ['https://192.168.7.9/', 'vetted', 'vetted'],
    ['http://localhost:4000/', 'refused', 'refused'],
    ['https://shop.example/', 'vetted', 'vetted'],
    ['http://shop.example/', 'refused', 'refused'],
    ['https://shop.example:8443/', 'refused', 'refused'],
    // Partly allowed and partly public: what holds for public addresses holds for all.
    ['https://half-office.example/', 'vetted', 'vetted'],
    ['https://half-office.example:8443/', 'refused', 'refused'],
    ['http://half-office.example/', 'refused', 'refused'],
    ['https://192.168.8.9/', 'refused', 'refused'],
    ['https://inside.example/', 'refused', 'refused'],
  ]
  for (const [url, inTest, inLive] of table) {
    assert.equal((await office(url, false)).kind, inTest, `${url} in test mode`)
    assert.equal((await office(url, true)).kind, inLive, `${url} in live mode`)
  }
})

test('localhost is this machine, without a question to a name server', async () => {
  const ask = createResolve({ system: false })
  assert.deepEqual(await ask('localhost'), ['127.0.0.1', '::1'])
  assert.deepEqual(await ask('shop.localhost'), ['127.0.0.1', '::1'])
  const home = createGuard({ allow: ['127.0.0.0/8', '::1/128'], resolve: ask })
  assert.equal((await home('http://localhost:4000/', false)).kind, 'vetted')
})

test('live mode reaches this machine over plain http when a setting says so, and nothing else', async () => {
  const allow = ['127.0.0.0/8', '::1/128', '10.0.0.0/8']
  const resolve = async (name: string) => (name === 'half.example' ? ['127.0.0.1', '10.1.1.1'] : [])
  const usual = createGuard({ allow, resolve })
  const trial = createGuard({ allow, loopback_http: true, resolve })
  for (const url of ['http://127.0.0.1:4000/', 'http://[::1]:4000/']) {
    assert.equal((await usual(url, true)).kind, 'refused', url)
    assert.equal((await trial(url, true)).kind, 'vetted', url)
  }
  for (const url of ['http://10.1.1.1:4000/', 'http://half.example:4000/', 'http://93.184.216.34/']) {
    assert.equal((await trial(url, true)).kind, 'refused', url)
  }
})

test('a burst to one name asks once', async () => {
  let asked = 0
  const ask = rememberAnswers(async () => {
    asked += 1
    return ['8.8.8.8']
  })
  await Promise.all(Array.from({ length: 50 }, () => ask('shop.example')))
  await ask('shop.example')
  assert.equal(asked, 1)
  await ask('other.example')
  assert.equal(asked, 2)
})
