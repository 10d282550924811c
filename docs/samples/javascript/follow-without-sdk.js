/** Calls `handle` for each event, one after the other. `load` and `save` keep a text where it survives a crash, such as in your database. */
export async function follow({ url, key, load, save, handle, pause_ms = 5_000 }) {
  const headers = { Authorization: `Bearer ${key}` }
  for (let after = (await load()) ?? 'begin'; ; ) {
    const answer = await fetch(`${url}/x/events?wait=25&after=${after}`, { headers }).catch(() => null)
    const page = await answer?.json().catch(() => null)
    for (const event of page?.data ?? []) await handle(event).then(() => save(event.cursor))
    if (page?.next) {
      after = page.next
      await save(after)
    } else if (page?.error && answer.status < 500 && answer.status !== 429) throw new Error(page.error.message)
    else await new Promise((resolve) => setTimeout(resolve, pause_ms))
  }
}
