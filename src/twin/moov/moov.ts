import type { ApiContext, RunningApi, TwinApi } from '../api.ts'
import { callsOf, type SentCodes } from './calls.ts'
import { addressesOf, choices, defaults, type Settings } from './settings.ts'
import { says } from './words.ts'

/** Moov's JSON gateway: prompts and codes to collect, and payouts. It never calls back. */
export const moov: TwinApi = {
  name: 'moov',
  settings: defaults,
  choices,
  faults: {},
  open: openMoov,
}

function openMoov({ own, time, phones, operations, url }: ApiContext): RunningApi {
  const settings = own.settings as Settings
  own.memory.sent ??= {}
  const calls = callsOf({
    settings,
    sent: own.memory.sent as SentCodes,
    time,
    phones,
    operations,
    taken(key) {
      const operation = operations.find(key)
      if (operation?.state !== 'received' || operation.outcome.outcome !== 'ask' || operation.msisdn === null) return
      operations.ask(operation, operation.msisdn, settings.payer_seconds)
    },
  })
  return {
    handle: calls,
    failure: (status) => ({ ...says('99', settings, { unverified: 'The body of a gateway that fails.' }), status }),
    changed() {},
    sender: { retry_seconds: [], faults: [], sign: () => ({}), accepts: () => true },
    connector() {
      const { platform, user, password, authorization, hash, collection } = settings
      const { wallet_named, sender, auth, transfers_activated } = settings
      const { order, ask } = addressesOf(settings)
      return {
        type: 'moov_gateway',
        settings: {
          base_url: `${url()}/moov`,
          path: order,
          read_path: ask,
          platform,
          user,
          password,
          authorization,
          hash: hash ? 'sha256' : 'none',
          collection,
          payout: transfers_activated ? 'transfer' : 'none',
          ...(wallet_named ? { 'payout.sender': sender, 'payout.auth': auth } : {}),
        },
      }
    },
  }
}
