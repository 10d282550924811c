import { type Html, html } from '../../platform/http/html.ts'
import type { ViewContext } from './facts.ts'
import { sayIn } from './say.ts'

/** The page at `/` introduces the service to payers, to people with a receipt, and to programmers. */
export function frontView({ brand_name, language }: ViewContext): { title: string; main: Html } {
  const say = sayIn(language)
  const title = brand_name
  const main = html`<article class="slip"><section><h1 tabindex="-1">${say('front_title')}</h1><p class="lead">${say('front_text', { brand: brand_name })}</p></section><section><h2>${say('front_pay')}</h2><p>${say('front_pay_text')}</p><p class="links"><a href="/verify?lang=${language}">${say('verify_title')}</a></p></section><section><h2>${say('front_develop')}</h2><p>${say('front_develop_text')}</p><p class="acts"><a class="button" href="/docs" hreflang="en">${say('front_docs')}</a></p><p class="links"><a href="/openapi.json">${say('front_openapi')}</a></p></section></article>`
  return { title, main }
}
