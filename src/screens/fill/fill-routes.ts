import { randomUUID } from 'node:crypto'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { defineConsoleScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readBalances } from '../../ledger/balances.ts'
import { type Filled, moveToTransfer } from '../../ledger/fill-transfer.ts'
import { findFilling, readDeposits } from '../../ledger/store.ts'
import { depositReference } from '../../merchants/deposit-reference.ts'
import type { Clock } from '../../platform/clock.ts'
import type { DepositAccount } from '../../platform/config.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { type FillFacts, filledView, fillView } from './fill-view.ts'

type FillDeps = { readonly sql: Sql; readonly clock: Clock; readonly depositAccount: DepositAccount | null }
type Request = ScreenRequest<'console'>

/** The number of deposits on the page. */
const DEPOSITS_SHOWN = 5

async function readFill({ sql, depositAccount }: FillDeps, tenant: Tenant): Promise<FillFacts> {
  const [balances, deposits] = await Promise.all([readBalances(sql, tenant), readDeposits(sql, tenant, DEPOSITS_SHOWN)])
  const { transfer = 0, available = 0 } = balances ?? {}
  return { transfer, available, deposits, reference: depositReference(tenant.merchant_id), account: depositAccount }
}

async function show(
  request: Request,
  deps: FillDeps,
  again: { errors: readonly FieldError[]; code: string } | null = null,
): Promise<ScreenAnswer> {
  const facts = await readFill(deps, request.tenant)
  const typed = request.fields.text('key')
  return fillView(request, { facts, key: typed === '' ? randomUUID() : typed, errors: [], code: null, ...again })
}

const getFill = defineConsoleScreen<FillDeps>({
  method: 'GET',
  path: '/fill',
  query: ['made'],
  operation: 'fillScreen',
  summary: 'The payout balance, and the two ways to fill it',
  right: 'balances.read',
  menu: { group: 'sent', icon: 'wallet', words: ['Argent pour vos envois', 'Money for payouts'] },
  async handle(request, deps) {
    const { tenant, query } = request
    const reference = query.get('made') ?? ''
    const wanted = { ...tenant, operation: 'moved_to_transfer', reference } as const
    const made = reference !== '' ? await deps.sql.begin((tx) => findFilling(tx, wanted)) : null
    return made === null ? show(request, deps) : filledView(request, await readFill(deps, tenant), made)
  },
})

const postFill = consoleAct<FillDeps, Filled, FillDeps & ActScreenDeps>(moveToTransfer, {
  path: '/fill',
  back: ({ at }) => at('/fill'),
  done: ({ fields }) => `/fill?made=${encodeURIComponent(fields.text('key'))}`,
  again(request, deps, errors, refusal) {
    if (errors.some(({ field }) => field === 'key')) return show(request, deps)
    return show(request, deps, { errors, code: refusal?.code ?? 'unreadable' })
  },
})

/** The screens to fill the payout balance. */
export const fillScreens = [getFill, postFill] as const
