import { Marked, type Token, type Tokens } from 'marked'
import { Html, html } from '../platform/http/html.ts'

/** A part of a page, from one heading to the next. */
export type Part = { readonly id: string; readonly heading: string; readonly text: string }

export type Rendered = { readonly html: Html; readonly title: string; readonly parts: readonly Part[] }

/** The anchor of a heading, as on the sites that show our repository. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** The words of Markdown without its marks. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/[`*|]|^#+ |^-+$|:?-{3,}:?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * Renders a page. HTML in it is shown as text, so a page never holds a script, a style or a frame.
 * @param linkTo the address of a link, or null: then its words stay, without a link
 */
export function renderMarkdown(markdown: string, linkTo: (href: string) => string | null, tabs: string): Rendered {
  const ids = new Map<string, number>()
  let sets = 0
  const idOf = (heading: string) => {
    const id = anchorOf(heading)
    const seen = ids.get(id) ?? 0
    ids.set(id, seen + 1)
    return seen === 0 ? id : `${id}-${seen}`
  }
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const inner = this.parser.parseInline(tokens)
        return `<h${depth} id="${html`${idOf(plainText(text))}`}">${inner}</h${depth}>\n`
      },
      code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>\n`.text,
      html: ({ text }) => (text.trim().startsWith('<!--') ? '' : html`${text}`.text),
      image: ({ text }) => html`${text}`.text,
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const address = linkTo(href)
        return address === null ? inner : html`<a href="${address}">${new Html(inner)}</a>`.text
      },
      table(token) {
        const row = (cells: Tokens.TableCell[]) => cells.map(({ tokens }) => this.parser.parseInline(tokens))
        const head = row(token.header).map((cell) => (cell === '' ? '<td></td>' : `<th scope="col">${cell}</th>`))
        const body = token.rows.map(
          (cells) =>
            `<tr>${row(cells)
              .map((cell) => `<td>${cell}</td>`)
              .join('')}</tr>\n`,
        )
        const shown = head.every((cell) => cell === '<td></td>') ? '' : `<thead><tr>${head.join('')}</tr></thead>\n`
        return `<div class="wide" tabindex="0"><table>\n${shown}<tbody>\n${body.join('')}</tbody></table></div>\n`
      },
    },
  })
  const tokens = marked.lexer(markdown)
  const text = groupTabs(tokens)
    .map((group) => {
      if (group.length < 2) return marked.parser(group as Token[])
      sets += 1
      return tabSet(group as Tokens.Code[], `s${sets}`, tabs).text
    })
    .join('')
  const parts = partsOf(tokens)
  return { html: new Html(text), title: parts.find(({ heading }) => heading !== '')?.heading ?? '', parts }
}

const tabOf = (token: Token | undefined) =>
  token?.type === 'code' ? /^\S+ (.+)$/.exec((token as Tokens.Code).lang ?? '')?.[1] : undefined

/** Joins the fences that follow one another and have the name of a tab. */
function groupTabs(tokens: readonly Token[]): Token[][] {
  const groups: Token[][] = []
  let between: Token[] = []
  for (const token of tokens) {
    const last = groups.at(-1)
    if (token.type === 'space') between.push(token)
    else if (tabOf(token) !== undefined && last !== undefined && tabOf(last[0]) !== undefined) {
      last.push(token)
      between = []
    } else {
      groups.push([...between.splice(0), token].filter(({ type }) => type !== 'space'))
    }
  }
  return groups
}

/** One sample in several languages. The choice is a set of radio buttons, so it needs no script and works with the keyboard. */
function tabSet(codes: readonly Tokens.Code[], name: string, legend: string): Html {
  const choices = codes.map(
    (code, at) => html`<input type="radio" name="${name}" id="${name}-${at}"${new Html(at === 0 ? ' checked' : '')}>
<label for="${name}-${at}">${tabOf(code)}</label>
`,
  )
  const texts = codes.map(({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>\n`)
  return html`<fieldset class="tabs"><legend class="sr">${legend}</legend>
${choices}${texts}</fieldset>
`
}

function partsOf(tokens: readonly Token[]): Part[] {
  const parts: { id: string; heading: string; text: string }[] = [{ id: '', heading: '', text: '' }]
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = plainText(token.text)
      parts.push({ id: token.depth === 1 ? '' : anchorOf(heading), heading, text: '' })
    } else parts.at(-1)!.text += ` ${token.type === 'code' ? token.text : plainText(token.raw)}`
  }
  return parts.filter(({ heading, text }) => heading !== '' || text.trim() !== '')
}
