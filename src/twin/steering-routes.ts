import { apis } from './apis.ts'
import { faultWords, RuleError } from './rules.ts'
import { PhoneError, type Steering } from './steering.ts'
import type { TwinAnswer, TwinRequest } from './wire.ts'

type Body = Record<string, unknown>
type Act = (
  steering: Steering,
  body: Body,
  names: string[],
  query: URLSearchParams,
) => object | string | Promise<object>

/** The routes of the steering as `METHOD path`. A name in braces matches any segment. */
const routes: Record<string, Act> = {
  'GET /': (steering) => ({
    now: steering.now(),
    phones: '/phones',
    connectors: steering.connectors(),
    faults: Object.fromEntries(Object.entries(faultWords).map(([name, { says }]) => [name, says])),
    /** The faults of one API alone, such as those of its signatures. */
    faults_of: Object.fromEntries(apis.map(({ name, faults }) => [name, faults])),
  }),
  'GET /clock': (steering) => ({ now: steering.now() }),
  'POST /clock': async (steering, { advance_seconds }) => ({ now: await steering.advance(advance_seconds as number) }),
  'GET /scripts': (steering) => ({ scripts: steering.rules().scripts }),
  'POST /scripts': (steering, body) => ({ id: steering.script(body as never) }),
  'DELETE /scripts': (steering) => cleared(steering, 'scripts'),
  'DELETE /scripts/{id}': (steering, _, [id]) => cleared(steering, 'scripts', id),
  'GET /faults': (steering) => ({ faults: steering.rules().faults }),
  'POST /faults': (steering, body) => ({ id: steering.fault(body as never) }),
  'DELETE /faults': (steering) => cleared(steering, 'faults'),
  'DELETE /faults/{id}': (steering, _, [id]) => cleared(steering, 'faults', id),
  'GET /journal': (steering) => ({ journal: steering.journal() }),
  'GET /operations': (steering) => ({ operations: steering.operations() }),
  'GET /callbacks': (steering) => ({ callbacks: steering.callbacks() }),
  'GET /balances': (steering) => balances(steering),
  'POST /balances': (steering, body) => {
    if (typeof body.wallet === 'string') steering.setWallet(body.wallet, body.amount as number)
    else steering.phone(body.msisdn as string).setBalance(body.operator as never, body.amount as number)
    return balances(steering)
  },
  'GET /phones': (steering) => ({ phones: steering.phones() }),
  'GET /phones/{number}': (steering, _, [number]) => steering.phone(number!).now(),
  'POST /phones/{number}/approve': async (steering, body, [number]) =>
    await steering
      .phone(number!)
      .approve({ ...waiting(body), ...(typeof body.pin === 'string' ? { pin: body.pin } : {}) }),
  'POST /phones/{number}/decline': async (steering, body, [number]) =>
    await steering.phone(number!).decline(waiting(body)),
  'POST /phones/{number}/lapse': async (steering, body, [number]) => await steering.phone(number!).lapse(waiting(body)),
  'POST /phones/{number}/code': (steering, body, [number]) => ({
    code: steering.phone(number!).code(body.operator as never),
  }),
  'GET /connectors': (steering) => steering.connectors(),
  'GET /apis/{api}': (steering, _, [api]) => steering.settings(api!),
  'PATCH /apis/{api}': (steering, body, [api]) => {
    steering.change(api!, body)
    return steering.settings(api!)
  },
  'GET /statements/{operator}/{day}': (steering, _, [operator, day], query) =>
    steering.statement(operator!, day!, query.get('plant')),
  'POST /apis/{api}/{act}': (steering, body, [api, act]) => steering.act(api!, act!, body),
  'POST /reset': async (steering) => {
    await steering.reset()
    return {}
  },
}

const paths = Object.keys(routes).map((line) => line.replace(' ', ' /_twin'))

function cleared(steering: Steering, rules: 'scripts' | 'faults', id?: string): object {
  steering.clear(rules, id === undefined ? undefined : Number(id))
  return {}
}

function balances(steering: Steering): object {
  const phones = Object.fromEntries(steering.phones().map(({ msisdn, accounts }) => [msisdn, accounts]))
  return { wallets: steering.wallets(), phones }
}

/** Reads how long a helper may wait. Without `within_seconds` a call over HTTP does not wait. */
function waiting({ within_seconds = 0 }: Body): { within_seconds: number } {
  if (typeof within_seconds !== 'number' || !(within_seconds >= 0 && within_seconds <= 60))
    throw new RuleError('within_seconds is a number from 0 to 60.')
  return { within_seconds }
}

/** Answers a call to `/_twin/…`: 400 for an unreadable body, 404 for another path, 409 if the phone shows no request. */
export async function serveSteering(
  steering: Steering,
  { method, path, body, query }: TwinRequest,
): Promise<TwinAnswer> {
  try {
    const found = findRoute(method, path)
    if (found === null) return { status: 404, body: { error: 'No such path.', paths } }
    const answer = await found.act(steering, readSteeringBody(body), found.names, query)
    return { status: 200, body: answer }
  } catch (error) {
    if (error instanceof RuleError || error instanceof SyntaxError || error instanceof URIError)
      return { status: 400, body: { error: error.message } }
    if (error instanceof PhoneError) return { status: 409, body: { error: error.message } }
    throw error
  }
}

function findRoute(method: string, path: string): { act: Act; names: string[] } | null {
  const parts = path.replace(/\/$/, '').split('/')
  for (const [line, act] of Object.entries(routes)) {
    const [verb, pattern = ''] = line.split(' ')
    const wanted = pattern.replace(/\/$/, '').split('/')
    if (verb !== method || wanted.length !== parts.length) continue
    if (!wanted.every((part, at) => part.startsWith('{') || part === parts[at])) continue
    return { act, names: parts.filter((_, at) => wanted[at]!.startsWith('{')).map((part) => decodeURIComponent(part)) }
  }
  return null
}

/** Reads a JSON body; an empty one is an empty object. Ignores the content type, because `curl -d` sends another. */
function readSteeringBody(body: Buffer): Body {
  if (body.length === 0) return {}
  const value: unknown = JSON.parse(body.toString('utf8'))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RuleError('The body is one JSON object.')
  return value as Body
}
