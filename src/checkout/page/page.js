// The page works without this script, which adds comfort: it proposes the operator of the number as it is typed, writes
// the amount typed into the button, keeps a second tap from sending twice, looks whether another page is due and puts it in place, shares and prints. In the JavaScript
// of 2017, which cheap phones of that age still run.
;(() => {
  const prefixes = { '01': 'moov_ci', '05': 'mtn_ci', '07': 'orange_ci' }
  let main = document.querySelector('main')
  let timer = 0
  let looks = 0

  function start() {
    looks = 0
    for (const sentence of main.querySelectorAll('[data-live]')) sentence.hidden = false
    for (const button of main.querySelectorAll('[data-print]')) {
      button.hidden = false
      button.onclick = () => print()
    }
    for (const button of main.querySelectorAll('[data-share]')) shareWith(button)
    for (const form of main.querySelectorAll('form[method="post"]')) form.onsubmit = sendOnce
    const number = document.getElementById('msisdn')
    if (number) proposeFrom(number)
    const amount = document.getElementById('amount')
    const paying = main.querySelector('[data-pay]')
    if (amount && paying) payWhatIsTyped(amount, paying)
    plan()
  }

  // The menu of the phone, where there is one, in place of the links. Closing it without a choice is no error.
  function shareWith(button) {
    if (!navigator.share) return
    button.hidden = false
    main.querySelector('[data-unshared]').hidden = true
    const { share: text, url, title } = button.dataset
    button.onclick = async () => {
      const told = { title, text, url }
      const files = await picture(title)
      const shown = files && navigator.canShare ? navigator.canShare({ files }) : false
      navigator.share(shown ? Object.assign({ files }, told) : told).catch(() => {})
    }
  }

  // The receipt as a picture to forward, drawn here, because a server would need a browser for it. Null where none can be made.
  function picture(title) {
    const rows = main.querySelectorAll('.rows div')
    const canvas = document.createElement('canvas')
    const pen = canvas.getContext('2d')
    if (!pen || !canvas.toBlob || !self.File) return null
    canvas.width = 720
    canvas.height = 230 + 46 * rows.length
    pen.fillStyle = '#fff'
    pen.fillRect(0, 0, 720, canvas.height)
    pen.fillStyle = '#16211c'
    const write = (text, size, y, x) => {
      pen.font = `${size}px sans-serif`
      pen.textAlign = x ? 'right' : 'left'
      pen.fillText(text, x || 36, y, x ? 410 : 648)
    }
    write(main.querySelector('h1').textContent, 38, 74)
    write(main.querySelector('.code').textContent, 46, 142)
    let y = 208
    for (const row of rows) {
      pen.globalAlpha = 0.65
      write(row.firstChild.textContent, 22, y)
      pen.globalAlpha = 1
      write(row.lastChild.textContent, 24, y, 684)
      y += 46
    }
    const named = (blob) => blob && [new File([blob], `${title}.png`, { type: blob.type })]
    return new Promise((drawn) => canvas.toBlob((blob) => drawn(named(blob)), 'image/png'))
  }

  // A second tap while the first is on its way does nothing. Coming back with the browser's arrow makes it work again.
  function sendOnce(event) {
    const button = event.target.querySelector('button')
    if (button.getAttribute('aria-disabled')) return event.preventDefault()
    button.setAttribute('aria-disabled', 'true')
    clearTimeout(timer)
    const number = document.getElementById('msisdn')
    if (number && number.value[0] !== '•') remember(number.value)
  }

  // The number typed in this tab, until the tab is closed. A browser may forbid to keep anything.
  function remember(number) {
    try {
      if (number) sessionStorage.setItem('number', number.trim())
      return sessionStorage.getItem('number')
    } catch (_) {
      return null
    }
  }

  // Proposes until the payer chooses: from then on the choice stands, whatever the number becomes.
  function proposeFrom(number) {
    const choices = [...main.querySelectorAll('input[name="operator"]')]
    let chosen = choices.some((choice) => choice.checked)
    let read = ''
    for (const choice of choices) {
      choice.onchange = () => {
        chosen = true
      }
    }
    number.oninput = () => {
      const digits = number.value.replace(/\D/g, '').replace(/^(00)?225/, '')
      if (digits === read) return
      read = digits
      const choice = choices.find(({ value }) => value === prefixes[digits.slice(0, 2)])
      if (choice && !chosen) choice.checked = true
      if (digits.length === 10) askWhoServes(digits)
    }
    // The service may know that the number was ported. The number travels in the body; without an answer the prefix stands.
    async function askWhoServes(msisdn) {
      if (chosen || choices.length < 2) return
      const { action, elements } = number.form
      const body = JSON.stringify({ nonce: elements.nonce.value, msisdn })
      const headers = { accept: 'application/json', 'content-type': 'application/json' }
      try {
        const answer = await fetch(`${action.split('?')[0]}/operator`, { method: 'POST', headers, body })
        const { operator } = answer.ok ? await answer.json() : {}
        if (operator === undefined || chosen || msisdn !== read) return
        for (const choice of choices) choice.checked = choice.value === operator
      } catch (_) {}
    }
    number.onblur = () => {
      const digits = number.value.replace(/\D/g, '')
      if (/^0\d{9}$/.test(digits)) number.value = digits.replace(/\d\d\B/g, '$& ')
    }
    // A retry shows only the end of the number. This tab may know the rest; if not, a tap makes room for another.
    if (number.value[0] === '•') {
      const typed = remember()
      if (typed && typed.slice(-2) === number.value.slice(-2)) number.value = typed
      else number.onfocus = () => number.select()
    }
    // The browser may have filled it in already.
    number.oninput()
  }

  // The button says the amount as soon as one can be read, by the rule of request.ts.
  function payWhatIsTyped(amount, button) {
    const usual = button.textContent
    amount.oninput = () => {
      const plain = amount.value.trim().replace(/\s*(f\.?\s*cfa|fcfa|xof|f|francs?)\.?$/i, '')
      const francs = /^(\d{1,13}|\d{1,3}([\s.,]\d{3}){1,4})$/.test(plain) ? Number(plain.replace(/\D/g, '')) : 0
      const written = String(francs).replace(/\B(?=(\d{3})+$)/g, '\u202f')
      button.textContent = francs ? button.dataset.pay.replace('{amount}', `${written}\u00a0F\u00a0CFA`) : usual
    }
    amount.oninput()
  }

  // Looks again after the seconds that the page says; after five looks, or as many as the page says, a quarter later each time, at most half a
  // minute. A touch begins anew on a page that is looked at all day.
  // Thousands of phones share one address of their network, and its rate with it.
  function plan() {
    clearTimeout(timer)
    const seconds = Number(main.dataset.poll)
    if (!seconds || document.hidden) return
    looks += 1
    const steady = Number(main.dataset.steady) || 5
    timer = setTimeout(look, Math.min(30, seconds * 1.25 ** Math.max(0, looks - steady)) * 1000)
  }

  function ask(type) {
    const late = new Promise((_, refuse) => setTimeout(refuse, 15000))
    return Promise.race([fetch(main.dataset.address, { headers: { accept: type }, cache: 'no-store' }), late])
  }

  async function look() {
    try {
      const answer = await ask('application/json')
      if (answer.ok && wordOf(await answer.json()) !== main.dataset.word) await change()
      say('')
    } catch (_) {
      say(main.dataset.offline)
    }
    plan()
  }

  // The same word as in page-for-state.ts.
  function wordOf({ status, attempt }) {
    if (!attempt) return status
    const step = attempt.next_action ? attempt.next_action.type : ''
    return [status, attempt.number, attempt.status, step, attempt.code_submitted, attempt.in_doubt].join('-')
  }

  // Puts the new page in place of this one. If the focus was in the page, or nowhere, it goes to the new heading, which a screen
  // reader then reads out.
  async function change() {
    const answer = await ask('text/html')
    // Never over something typed.
    for (const field of main.querySelectorAll('[data-typed]')) if (field.value !== field.defaultValue) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const next = page.querySelector('main')
    if (!next) return
    const held = document.activeElement
    const inside = !held || held === document.body || main.contains(held)
    main.replaceWith(next)
    main = next
    document.title = page.title
    start()
    if (inside) main.querySelector('h1').focus()
  }

  function say(text) {
    const status = main.querySelector('.wait')
    if (!status) return
    status.dataset.usual = status.dataset.usual || status.textContent
    const now = text || status.dataset.usual
    if (status.textContent !== now) status.textContent = now
  }

  // Back in sight, from another app or another page: look at once.
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer)
    if (!document.hidden && main.dataset.poll) look()
  })
  document.addEventListener('pointerdown', () => {
    if (main.dataset.steady) looks = 0
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload()
  })
  start()
})()
