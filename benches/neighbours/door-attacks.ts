import { connect } from 'node:net'
import { invitePerson } from '../../src/people/invite-person.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { browse, openBrowser } from '../../tests/harness/console.ts'
import { fillManyPayments } from '../../tests/harness/listed-payments.ts'
import { HOST, peopleDeps } from '../../tests/harness/people.ts'
import { BENCH_SECRET_KEY, createMerchantWithKeys } from '../merchants.ts'
import type { Attack, Ground } from './attack.ts'

/** How long the neighbour is watched beside downloads that nobody reads. */
const DOWNLOAD_SECONDS = 20

/** Attacks on the doors of people: each by holders of one link or of one session. */
export const doorAttacks: Record<string, Attack> = {
  'invitation-page': {
    what: '280 × GET of the page of one invitation, ten seconds of what three addresses may ask for',
    judged: [],
    async prepare(ground) {
      const path = await invitationOf(ground)
      return { shots: [{ times: ground.some(280), method: 'GET', path, key: null }] }
    },
  },
  'wrong-acceptances': {
    what: '100 × POST of one invitation with a wrong code and a new password, ten seconds of one address',
    judged: [],
    async prepare(ground) {
      const path = await invitationOf(ground)
      const page = await browse(ground.address, '').get(path)
      const shown = /name="shown" value="([^"]+)"/.exec(page.text)![1]!
      const fields = { shown, name: 'Issa', secret_password: 'quatre lagunes et un pont', secret_code: '000000' }
      return { shots: [{ ...formTo(path, fields), times: ground.some(100) }] }
    },
  },
  'slow-downloads': {
    what: '4 downloads of 100 000 payments, of four people, that nobody reads',
    judged: ['whole_payments'],
    async prepare({ sql, address, some }) {
      const asked = await Promise.all(Array.from({ length: 4 }, () => downloadOf(sql, address, some(100_000))))
      let until = Number.POSITIVE_INFINITY
      return {
        shots: [],
        async begin() {
          for (const text of asked) openUnread(address, text, some(DOWNLOAD_SECONDS * 1_000))
          until = performance.now() + some(DOWNLOAD_SECONDS * 1_000)
        },
        isOver: async () => performance.now() > until,
      }
    },
  },
  'big-questions': {
    what: '100 × POST of an endpoint with eight event types of 15 kB, by one session, ten seconds of one address',
    judged: [],
    async prepare({ sql, address, merchant_id, some }) {
      const owner = await openBrowser(sql, address, { merchant_id, roles: ['owner'] })
      const at = `/console/test/${merchant_id}/webhooks`
      const nonce = /name="nonce" value="([^"]+)"/.exec((await owner.get(`${at}/new`)).text)![1]!
      const types = Array.from({ length: 8 }, () => ['types', 'z'.repeat(15_000)])
      const fields = [['nonce', nonce], ['url', 'https://shop.example.com/hook'], ...types] as [string, string][]
      return { shots: [{ ...formTo(at, fields, owner.cookie), times: some(100) }] }
    },
  },
}

/** Invites a person, and returns the path of their link. */
async function invitationOf({ sql, address, merchant_id }: Ground): Promise<string> {
  const deps = peopleDeps(sql, { origin: address, secret_key: BENCH_SECRET_KEY })
  const invited = await invitePerson(
    deps,
    { email: `issa-${merchant_id}@example.com`, name: 'Issa', merchant_id, roles: ['viewer'] },
    HOST,
  )
  if (invited.kind !== 'invited' || invited.link === null) throw new Error('The invitation was refused.')
  return `/console/invitation/${invited.link.token.reveal()}`
}

function formTo(path: string, fields: Record<string, string> | [string, string][], cookie = '') {
  const body = { kind: 'form', text: new URLSearchParams(fields).toString(), cookie } as const
  return { method: 'POST', path, key: null, body } as const
}

/** The request of a download by a person of a merchant with so many payments. */
async function downloadOf(sql: Sql, address: string, payments: number): Promise<string> {
  const { merchant_id } = await createMerchantWithKeys(sql, 1)
  await fillManyPayments(sql, { merchant_id, livemode: false }, payments)
  const { cookie } = await openBrowser(sql, address, { merchant_id, roles: ['owner'] })
  const path = `/console/test/${merchant_id}/payments/export?format=csv`
  return `GET ${path} HTTP/1.1\r\nHost: ${new URL(address).host}\r\nCookie: ${cookie}\r\n\r\n`
}

/** Opens a connection that sends a request and never reads the answer. */
function openUnread(address: string, text: string, for_ms: number): void {
  const socket = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => {})
  socket.pause()
  socket.write(text)
  setTimeout(() => socket.destroy(), for_ms)
}
