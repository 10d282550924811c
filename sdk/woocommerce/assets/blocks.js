/* The means of payment in the checkout that is made of blocks. Read by the browser as it is. */
;(() => {
  const { createElement } = window.wp.element
  const { decodeEntities } = window.wp.htmlEntities
  const settings = window.wc.wcSettings.getSetting('bandama_data', {})
  const title = decodeEntities(settings.title || 'Mobile money')
  const content = createElement('span', null, decodeEntities(settings.description || ''))
  window.wc.wcBlocksRegistry.registerPaymentMethod({
    name: 'bandama',
    label: createElement('span', null, title),
    ariaLabel: title,
    content,
    edit: content,
    canMakePayment: () => true,
    supports: { features: settings.supports || ['products'] },
  })
})()
