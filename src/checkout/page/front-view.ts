import { type Html, html } from '../../platform/http/html.ts'
import type { ViewContext } from './facts.ts'
import { sayIn } from './say.ts'

/** The page at `/` introduces the service to payers, to people with a receipt, and to programmers. */
export function frontView({ brand_name, language }: ViewContext): { title: string; main: Html } {
  const say = sayIn(language)
  const title = brand_name
  const links = (link: Html) => html`<p class="links">${link}</p>`
  const receipts = html`<a href="/verify?lang=${language}">${say('verify_title')}</a>`
  const docs = html`<p class="acts"><a class="button" href="/docs/${language}">${say('front_docs')}</a></p>`
  const openapi = html`<a href="/openapi.json">${say('front_openapi')}</a>`
  const sections = [
    html`<h1 tabindex="-1">${say('front_title')}</h1><p class="lead">${say('front_text', { brand: brand_name })}</p>`,
    html`<h2>${say('front_pay')}</h2><p>${say('front_pay_text')}</p>${links(receipts)}`,
    html`<h2>${say('front_develop')}</h2><p>${say('front_develop_text')}</p>${docs}${links(openapi)}`,
  ]
  const main = html`<article class="slip">${sections.map((section) => html`<section>${section}</section>`)}</article>`
  return { title, main }
}
