import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { newProposedDeposit, newProposedRefund } from '../console/stages/money.ts'
import { newProposedConnector, newProposedRoute } from '../console/stages/operators.ts'
import type { Stand } from '../console/stages/stage.ts'
import { newCollector } from '../contract/collector.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { faultsOf, keepPicture, openBrowser, skipWithoutBrowser, widths, windowOf } from './browser.ts'

// The acts that wait for a second person, in a browser: what a colleague reads, the question, and the decided proposal.

describe('acts that wait, in a browser', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let stand: Stand
  let awa: Member

  before(async () => {
    installation = await openInstallation({ own: 'sets connectors' })
    const collector = await newCollector(installation)
    stand = { installation, sql: installation.db.sql, tenant: collector.tenant, collector }
    awa = await openMember(installation, 'Awa Bamba', { staff: ['finance', 'operations'] })
    await openMember(installation, 'Koffi Yao', { staff: ['finance'] })
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await installation[Symbol.asyncDispose]()
  })

  const kinds = {
    ...{ deposits: newProposedDeposit, refunds: newProposedRefund },
    ...{ connectors: newProposedConnector, routes: newProposedRoute },
  }

  for (const [window, width] of Object.entries(widths)) {
    test(`each of them reads well, ${window}`, async () => {
      const { address } = installation.services[0]!
      const context = await browser.newContext(windowOf(width))
      const [name, value] = awa.cookie.split('=')
      await context.addCookies([{ name: name!, value: value!, url: address }])
      const page = await context.newPage()
      const found: string[] = []
      const look = async (title: string) => {
        found.push(...(await faultsOf(page, title)))
        await keepPicture(page, `proposal-${title}-${window}`)
      }
      for (const [kind, propose] of Object.entries(kinds)) {
        const { params } = await propose(stand, 'koffi@example.ci')
        const at = `${address}/desk/${mode}/proposals/${kind}/${params.id}`
        await page.goto(at)
        await look(kind)
        await page.getByRole('button', { name: 'Confirmer' }).click()
        await page.locator('#secret_code').waitFor()
        await look(`${kind}-question`)
        await page.goto(at)
        await page.getByRole('button', { name: 'Refuser' }).click()
        await page.getByText('Décidé par').waitFor()
        await look(`${kind}-refused`)
      }
      await page.goto(`${address}/desk/${mode}`)
      await look('queue')
      await context.close()
      assert.deepEqual(found, [])
    })
  }
})
